package utilities

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkCompareText compares two texts of 1 MB in each mode, alike in places or
// in nothing, which is the most work.
func BenchmarkCompareText(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(alphabet string) string {
		var w strings.Builder
		for w.Len() < 1<<20 {
			for range 1 + random.IntN(8) {
				w.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			w.WriteByte(" \n"[random.IntN(2)])
		}
		return w.String()
	}
	same := text("abcdefgh")
	edited := []byte(same)
	for range 5000 {
		edited[random.IntN(len(edited))] = 'z'
	}
	for name, texts := range map[string][2]string{
		"edited":  {same, string(edited)},
		"alike":   {text("ab"), text("ab")},
		"foreign": {text("abcd"), text("wxyz")},
	} {
		for _, mode := range []string{"lines", "words", "chars"} {
			args := compareTextArgs{Text1: texts[0], Text2: texts[1], Mode: mode}
			b.Run(name+"/"+mode, func(b *testing.B) {
				b.SetBytes(2 << 20)
				for b.Loop() {
					if _, err := compareText(b.Context(), nil, args); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
