package regex

import (
	"strings"
	"testing"
	"time"
)

// Ignoring case costs the engine much for each wide set; see keepCaseOfWide.
func TestKeepCaseOfWide(t *testing.T) {
	for pattern, want := range map[string]string{
		`.a\.[.]`:          `(?-i:.)a\.(?-i:[.])`,
		`[^\W_]\S\D\W`:     `(?-i:[^\W_])(?-i:\S)(?-i:\D)(?-i:\W)`,
		`[a\W][a-z.]\p{L}`: `[a\W][a-z.]\p{L}`,
		`(?#a.b).`:         `(?#a.b)(?-i:.)`,
		`[[:alpha:].].`:    `[[:alpha:].](?-i:.)`,
		`[[:].]`:           `(?-i:[[:])(?-i:.)]`,
		`[.`:               `[.`,
		`\`:                `\`,
		`é.`:               `é(?-i:.)`,
	} {
		got, err := keepCaseOfWide(pattern, false)
		if err != nil || got != want {
			t.Errorf("keepCaseOfWide(%s) = %s, error %v, want %s", pattern, got, err, want)
		}
	}
	hostile := []string{
		strings.Repeat(`.`, MaxPattern), strings.Repeat(`[a\W]`, 2000), `(?x)#[` + "\n" + strings.Repeat(`.`, 5000),
		strings.Repeat(`[[:]`, 20) + strings.Repeat(`.`, 5000), strings.Repeat(`[!-\u{10fffe}]`, 700), `(?i:` + strings.Repeat(`\D`, 4000) + `)`,
		strings.Repeat(`[\d\D]`, 1500), strings.Repeat(`[ -\xff]`, 1000),
	}
	for _, pattern := range hostile {
		start := time.Now()
		_, err := Compile(pattern, "i")
		if took := time.Since(start); took > time.Minute {
			t.Errorf("compiling %.20s... took %s, error %v", pattern, took, err)
		}
	}
}
