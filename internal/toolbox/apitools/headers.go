package apitools

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// known are the headers of an answer that a caller can use. Those that begin with
// x-ratelimit- are too.
var known = []string{
	"Content-Type", "Content-Location", "Deprecation", "Etag", "Last-Modified", "Link", "Location", "Retry-After", "Sunset", "Warning",
	"X-Next-Page", "X-Page", "X-Per-Page", "X-Prev-Page", "X-Request-Id", "X-Total", "X-Total-Count", "X-Total-Pages",
}

const (
	maxHeader = 2 << 10 // bytes of one value
	maxName   = 64      // bytes of the name of a header that is not in known
)

// worthKnowing returns the headers that a caller can use, by name in lower case.
func worthKnowing(h http.Header, k *keys) map[string]string {
	flat := map[string]string{}
	keep := func(name string) {
		if value := strings.Join(h[name], ", "); value != "" {
			flat[strings.ToLower(name)] = foreign.Text(string(k.scrub([]byte(value))), maxHeader)
		}
	}
	for _, name := range known {
		keep(name)
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if strings.HasPrefix(name, "X-Ratelimit-") && len(name) <= maxName && len(flat) < 2*len(known) {
			keep(name)
		}
	}
	return flat
}

// fileName returns the name of the workspace file for an answer: that of the API, or one
// made of the tool's, with a hash of the call, so that calls do not overwrite each other.
func fileName(toolName, callID string, h http.Header) string {
	const longest = 80
	sum := sha256.Sum256([]byte(callID))
	mark := "-" + hex.EncodeToString(sum[:4])
	_, params, _ := mime.ParseMediaType(h.Get("Content-Disposition")) // without one there is no name
	name := path.Base(path.Clean("/" + strings.ReplaceAll(foreign.Text(params["filename"], longest), "\\", "/")))
	if name = strings.TrimLeft(name, "./"); name == "" {
		name = toolName + extension(h.Get("Content-Type"))
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\n\t:*?\"<>|", r) {
			return '_'
		}
		return r
	}, name)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + mark + ext
}

// extension returns the ending of file names of a media type.
func extension(media string) string {
	media, _, _ = mime.ParseMediaType(media) // an unreadable type has no ending of its own
	_, sub, _ := strings.Cut(media, "/")
	for _, ext := range []string{sub, strings.TrimPrefix(sub, "x-")} {
		if known, _, _ := strings.Cut(mediatype.ByName("a."+ext), ";"); ext != "" && known == media {
			return "." + ext
		}
	}
	return ".bin"
}
