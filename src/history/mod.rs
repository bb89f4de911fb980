//! Events become job histories, and job histories hold episodes with outcomes.
