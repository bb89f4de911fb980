//! The ClassAd language of HTCondor.
