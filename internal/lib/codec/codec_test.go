package codec

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/grapheme"
)

// What was encoded holds what is decoded.
func FuzzTextCodecs(f *testing.F) {
	f.Add("hello & <wörld> %41+")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		for method, codec := range Codecs {
			back, err := codec.Decode(codec.Encode(text))
			if err != nil || !bytes.Equal(back, []byte(text)) {
				t.Errorf("%s of %q comes back as %q, error %v", method, text, back, err)
			}
			if data, err := codec.Decode(text); err == nil && len(data) > 3*len(text) {
				t.Errorf("%s makes %d bytes of %d", method, len(data), len(text))
			}
		}
		if _, err := json.Marshal(grapheme.Echo(text)); err != nil {
			t.Error(err)
		}
	})
}
