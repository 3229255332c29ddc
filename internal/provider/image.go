package provider

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// maxImage is the maximum size of an image in a message, in bytes: a provider refuses the
// whole request for a larger one.
const maxImage = 5 << 20

// image is an image for a model: its media type, and its data in base64.
type image struct {
	mime string
	data []byte
}

// magic are the beginnings of the kinds of images that every provider reads. A provider
// compares the media type with the bytes, so the bytes decide and not the name.
var magic = []struct {
	mime, at0, at8 string
}{
	{mime: "image/png", at0: "\x89PNG\r\n\x1a\n"},
	{mime: "image/jpeg", at0: "\xff\xd8\xff"},
	{mime: "image/gif", at0: "GIF87a"},
	{mime: "image/gif", at0: "GIF89a"},
	{mime: "image/webp", at0: "RIFF", at8: "WEBP"},
}

// blob is the data of a block, in base64.
type blob struct {
	index int // of its block
	mime  []byte
	data  []byte
}

// blobs returns the data of the blocks of a result: images, sounds and embedded resources.
func (o *Outcome) blobs() []blob {
	var found []blob
	i := -1
	for _, block := range jsonwalk.EachItem(trimmed(o.Content)) {
		i++
		b := blob{index: i}
		b.read(block)
		if b.data != nil {
			found = append(found, b)
		}
	}
	return found
}

func (b *blob) read(block []byte) {
	for name, value := range jsonwalk.EachMember(block) {
		switch string(key(name)) {
		case "data", "blob":
			b.data = key(value)
		case "mimeType":
			b.mime = key(value)
		case "resource":
			b.read(value)
		}
	}
}

// images returns the images that a model can be sent.
func (o *Outcome) images() []image {
	var found []image
	for _, b := range o.blobs() {
		if mime := imageType(b.data); mime != "" {
			found = append(found, image{mime, b.data})
		}
	}
	return found
}

// maxNotes is the maximum number of notes beside a result.
const maxNotes = 5

// unseen returns a note about the data that the message does not carry, empty for none.
func (o *Outcome) unseen(carries bool) string {
	var missing []string
	for _, b := range o.blobs() {
		if carries && imageType(b.data) != "" {
			continue
		}
		if len(missing) == maxNotes {
			missing = append(missing, "…")
			break
		}
		missing = append(missing,
			fmt.Sprintf("content[%d] (%.60s, %d bytes)", b.index, b.mime, base64.RawStdEncoding.DecodedLen(len(bytes.TrimRight(b.data, "=")))))
	}
	if missing == nil {
		return ""
	}
	return "this message cannot carry " + strings.Join(missing, ", ") + " of the result; GET /v1/calls/" + o.CallID + " returns it"
}

// imageType returns the media type of an image in base64, empty if it is too large or of
// a kind that not every provider reads.
func imageType(data []byte) string {
	const head = 16 // characters, which hold 12 bytes
	if base64.StdEncoding.DecodedLen(len(data)) > maxImage+2 || !isBase64(data) {
		return ""
	}
	begin, _ := base64.StdEncoding.AppendDecode(nil, data[:min(len(data), head)])
	for _, m := range magic {
		if bytes.HasPrefix(begin, []byte(m.at0)) && (m.at8 == "" || len(begin) >= 12 && string(begin[8:12]) == m.at8) {
			return m.mime
		}
	}
	return ""
}

// isBase64 reports whether data has only characters of base64, so that it can be written
// into JSON and into a URL as it is.
func isBase64(data []byte) bool {
	for _, c := range bytes.TrimRight(data, "=") {
		if !plain(c) && c != '+' && c != '/' || c == '_' {
			return false
		}
	}
	return len(data)%4 == 0
}
