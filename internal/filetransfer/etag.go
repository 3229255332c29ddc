package filetransfer

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// tagOf returns the strong entity tag of a file. Each write makes a new file, so its
// inode tells apart two writes of the same size within one tick of the clock.
func tagOf(info fs.FileInfo) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", info.Size(), info.ModTime().UnixNano(), inode(info)))
	return fmt.Sprintf(`"%x"`, sum[:12])
}

// allows reports whether the conditions of a request hold for a file with this tag, empty
// for no file.
func allows(header map[string]string, tag string) bool {
	if want, ok := header["If-Match"]; ok && (tag == "" || !lists(want, tag)) {
		return false
	}
	if unwanted, ok := header["If-None-Match"]; ok && tag != "" && lists(unwanted, tag) {
		return false
	}
	return true
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
	return header["If-Match"] != "" || header["If-None-Match"] != ""
}

// httpHeader returns the headers of a request as net/http has them.
func httpHeader(header map[string]string) http.Header {
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	return h
}
