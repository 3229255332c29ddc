package mediatype

import (
	"mime"
	"testing"
)

// TestByName: the extension decides, in either case, and a name without a known one has
// the general type.
func TestByName(t *testing.T) {
	for name, want := range map[string]string{
		"a.pdf": "application/pdf", "dir/B.PNG": "image/png", "notes.txt": "text/plain; charset=utf-8",
		"x.tar.gz": "application/gzip", "": Unknown, "a": Unknown, "a.": Unknown, "dir.pdf/a": Unknown, "a.nope": Unknown,
	} {
		if got := ByName(name); got != want {
			t.Errorf("ByName(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestTypesAreMediaTypes: each entry of the table parses as a media type.
func TestTypesAreMediaTypes(t *testing.T) {
	for ext, media := range types {
		if _, _, err := mime.ParseMediaType(media); err != nil {
			t.Errorf("%s: %q: %v", ext, media, err)
		}
	}
}
