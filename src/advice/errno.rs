//! Linux error numbers, as hold subcodes carry them.

pub(super) const ENOENT: i32 = 2;
pub(super) const ENOMEM: i32 = 12;
pub(super) const EACCES: i32 = 13;
pub(super) const ENOSPC: i32 = 28;
pub(super) const EDQUOT: i32 = 122;

/// The error numbers met in holds (`include/uapi/asm-generic/errno*.h`): those of files, programs,
/// memory, disks and networks.
const KNOWN: [(i32, &str, &str); 50] = [
    (1, "EPERM", "the operation is not permitted"),
    (2, "ENOENT", "there is no such file or directory"),
    (4, "EINTR", "the call was interrupted"),
    (5, "EIO", "an input/output error of the file system or disk"),
    (6, "ENXIO", "there is no such device"),
    (7, "E2BIG", "the argument list is too long"),
    (8, "ENOEXEC", "the file is no program this machine can run"),
    (9, "EBADF", "the file was not open"),
    (11, "EAGAIN", "something is temporarily unavailable"),
    (12, "ENOMEM", "no memory could be had"),
    (13, "EACCES", "permission is denied"),
    (16, "EBUSY", "the file or device is in use"),
    (17, "EEXIST", "the file is already there"),
    (18, "EXDEV", "the two names are on different file systems"),
    (19, "ENODEV", "there is no such device"),
    (20, "ENOTDIR", "a part of the path is not a directory"),
    (21, "EISDIR", "it is a directory"),
    (22, "EINVAL", "an argument is invalid"),
    (23, "ENFILE", "the system has too many files open"),
    (24, "EMFILE", "too many files are open"),
    (26, "ETXTBSY", "the program file is being written"),
    (27, "EFBIG", "the file is too large"),
    (28, "ENOSPC", "no space is left on the device"),
    (30, "EROFS", "the file system is read-only"),
    (32, "EPIPE", "the other side closed the connection"),
    (36, "ENAMETOOLONG", "the file name is too long"),
    (40, "ELOOP", "too many symbolic links"),
    (61, "ENODATA", "no data came"),
    (62, "ETIME", "the time ran out"),
    (70, "ECOMM", "sending failed"),
    (71, "EPROTO", "a protocol error"),
    (75, "EOVERFLOW", "a value is too large"),
    (80, "ELIBBAD", "a shared library is damaged"),
    (99, "EADDRNOTAVAIL", "the address is not available"),
    (100, "ENETDOWN", "the network is down"),
    (101, "ENETUNREACH", "the network is unreachable"),
    (103, "ECONNABORTED", "the connection was aborted"),
    (104, "ECONNRESET", "the other side reset the connection"),
    (105, "ENOBUFS", "no buffer space is left"),
    (107, "ENOTCONN", "there is no connection"),
    (110, "ETIMEDOUT", "the connection timed out"),
    (111, "ECONNREFUSED", "the connection was refused"),
    (112, "EHOSTDOWN", "the host is down"),
    (113, "EHOSTUNREACH", "there is no route to the host"),
    (115, "EINPROGRESS", "the operation goes on"),
    (116, "ESTALE", "the file handle of a shared file system is stale"),
    (121, "EREMOTEIO", "an input/output error at the remote side"),
    (122, "EDQUOT", "the disk quota is used up"),
    (125, "ECANCELED", "the operation was cancelled"),
    (126, "ENOKEY", "a required key is not available"),
];

/// C name and plain words of an error number, where it is one met in holds.
pub(crate) fn words(number: i32) -> Option<(&'static str, &'static str)> {
    let at = KNOWN.binary_search_by_key(&number, |known| known.0).ok()?;
    Some((KNOWN[at].1, KNOWN[at].2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_and_found() {
        assert!(KNOWN.is_sorted_by(|a, b| a.0 < b.0));
        for (number, name, _) in KNOWN {
            assert_eq!(words(number).map(|(name, _)| name), Some(name));
        }
        assert_eq!(words(0), None);
        assert_eq!(words(-1), None);
    }

    #[test]
    fn numbers_are_those_of_this_machine() {
        // The standard library maps numbers to kinds by the C library's own constants.
        let kind = |number| std::io::Error::from_raw_os_error(number).kind();
        assert_eq!(kind(2), std::io::ErrorKind::NotFound);
        assert_eq!(kind(13), std::io::ErrorKind::PermissionDenied);
        assert_eq!(kind(28), std::io::ErrorKind::StorageFull);
        assert_eq!(kind(110), std::io::ErrorKind::TimedOut);
        assert_eq!(kind(111), std::io::ErrorKind::ConnectionRefused);
        assert_eq!(kind(113), std::io::ErrorKind::HostUnreachable);
        assert_eq!(kind(116), std::io::ErrorKind::StaleNetworkFileHandle);
        assert_eq!(kind(122), std::io::ErrorKind::QuotaExceeded);
    }
}
