//! An episode and what went on around it become a tensor and a row of statics.
