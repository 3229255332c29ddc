package filetransfer

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// tagOf returns the strong entity tag of a file. Each write makes a new file, so its
// inode tells apart two writes of the same size within one tick of the clock.
func tagOf(info fs.FileInfo) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", info.Size(), info.ModTime().UnixNano(), inode(info)))
	return fmt.Sprintf(`"%x"`, sum[:12])
}

// allows reports whether the conditions of a request to change a file hold; nil is no file.
// Without an entity tag to match, the file must not be newer than If-Unmodified-Since.
func allows(header map[string]string, info fs.FileInfo) bool {
	tag := tagOfAny(info)
	want, ok := header["If-Match"]
	switch {
	case ok && (tag == "" || !lists(want, tag)):
		return false
	case !ok && info != nil && header["If-Unmodified-Since"] != "":
		since, err := http.ParseTime(header["If-Unmodified-Since"]) // a time that is none is ignored
		if err == nil && info.ModTime().Truncate(time.Second).After(since) {
			return false
		}
	}
	unwanted, ok := header["If-None-Match"]
	return !ok || tag == "" || !lists(unwanted, tag)
}

// lists reports whether a list of entity tags has one, or is *. A weak tag is none of a
// file here.
func lists(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || one == tag {
			return true
		}
	}
	return false
}

// conditional reports whether a write has conditions.
func conditional(header map[string]string) bool {
	return header["If-Match"] != "" || header["If-None-Match"] != "" || header["If-Unmodified-Since"] != ""
}

// httpHeader returns the headers of a request as net/http has them.
func httpHeader(header map[string]string) http.Header {
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	return h
}
