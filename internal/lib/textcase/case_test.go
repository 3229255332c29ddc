package textcase

import (
	"testing"
)

func FuzzIdentifierWords(f *testing.F) {
	f.Add("HTTPServerID2 x_y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range identifierWords(text) {
			if word == "" {
				t.Errorf("identifierWords(%q) holds an empty word", text)
			}
		}
	})
}
