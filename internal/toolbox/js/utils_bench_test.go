package js

import "testing"

// What the first use of a helper adds to a call: of one written in Go, and of one
// in JavaScript.
func BenchmarkUtils(b *testing.B) {
	for name, body := range map[string]string{
		"none":   "return 1",
		"go":     "return utils.isJson('1')",
		"script": "return utils.clamp(1, 2, 3)",
		"arrays": "return utils.unique([1, 2, 1])",
	} {
		p, err := CompileBody("bench", body)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(b.Context(), &Task{Program: p, Args: []byte("{}")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
