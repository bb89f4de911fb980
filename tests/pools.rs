//! Tests on real HTCondor pools, in one program: they need root, debootstrap (installed if missing)
//! and a Debian mirror, and run with HOLDADVISE_POOL=1.

#[allow(dead_code, reason = "each test uses a part of it")]
mod pool;
mod pool_apply;
mod pool_closed_loop;
mod pool_policies;
mod pool_story;
