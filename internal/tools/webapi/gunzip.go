package webapi

import (
	"bytes"
	"compress/gzip"
	"io"
)

// gunzipped returns what a file of gzip holds, such as a sitemap of the name sitemap.xml.gz,
// up to maxHTML bytes; more is set if there is more, or if the file is cut or damaged later
// on. It is not ok for anything else. What is compressed twice is not unpacked twice.
func gunzipped(raw []byte, cut bool) (text []byte, more, ok bool) {
	in, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, false, false
	}
	text, err = io.ReadAll(io.LimitReader(in, maxHTML+1))
	if err != nil && len(text) == 0 {
		return nil, false, false
	}
	more = cut || err != nil || len(text) > maxHTML
	return text[:min(len(text), maxHTML)], more, true
}
