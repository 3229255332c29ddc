//go:build linux

package programs_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

func benchmark(b *testing.B, o programs.Options) {
	b.Helper()
	port, _ := open(b, o)
	for b.Loop() {
		if ran, err := port.Run(b.Context(), tool.Program{Name: "true"}); err != nil || ran.Code != 0 {
			b.Fatal(ran, err)
		}
	}
}

func BenchmarkConfined(b *testing.B) { benchmark(b, programs.Options{}) }

func BenchmarkUnconfined(b *testing.B) { benchmark(b, programs.Options{Unconfined: true}) }
