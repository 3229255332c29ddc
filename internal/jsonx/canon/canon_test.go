package canon

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestOf(t *testing.T) {
	many := func(names ...string) string { return `{"` + strings.Join(names, `":1,"`) + `":1}` }
	letters := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	unsorted := append(strings.Split("zabcdefghijklmnop", ""), "a")
	for text, want := range map[string]Form{
		`{}`: Canonical, `[]`: Canonical, `""`: Canonical, `0`: Canonical, `-12`: Canonical, `true`: Canonical, `false`: Canonical,
		`null`:                             Canonical,
		`{"a":[1,"x",{"b":null}],"c":"ü"}`: Canonical, `"a\"\\\b\f\n\r\t"`: Canonical, `999999999999999`: Canonical, many(letters...): Canonical,
		`{"b":1,"a":2}`: Compact, `{"ü":1}`: Compact, `{"a\n":1}`: Compact, `1.50`: Compact, `-0`: Compact,
		many(letters[:maxUnsorted]...): Canonical,
		``:                             Unknown, ` 1`: Unknown, `1 `: Unknown, `[1, 2]`: Unknown, `{"a" :1}`: Unknown, `{"a":1,"a":2}`: Unknown,
		`{"b":1,"a":1,"b":2}`: Unknown, many(unsorted...): Unknown,
		`01`: Unknown, `-`: Unknown, `1.`: Unknown, `.5`: Unknown, `1e3`: Unknown, `1E3`: Unknown, `1000000000000000`: Unknown,
		`1.23456789012345`: Unknown,
		`"\u0061"`:         Unknown, `"\/"`: Unknown, `"\x"`: Unknown, "\"\n\"": Unknown, "\"\x7f\"": Unknown, "\"\xff\"": Unknown, `"a`: Unknown,
		`"\`: Unknown,
		`{`:  Unknown, `[`: Unknown, `[1`: Unknown, `[1,]`: Unknown, `[,]`: Unknown, `{"a"}`: Unknown, `{"a":}`: Unknown, `{"a":1,}`: Unknown,
		`{1:1}`: Unknown, `tru`: Unknown, `nul1`: Unknown, `1 2`: Unknown, `{}{}`: Unknown,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth):     Canonical,
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1): Unknown,
	} {
		if got := Of([]byte(text)); got != want {
			t.Errorf("Of(%s) = %d, want %d", text, got, want)
		}
	}
}

func TestFirst(t *testing.T) {
	for text, want := range map[string]int{
		`{"a":1},"b":2}`: 7, `"x"]`: 3, `12}`: 2, `null`: 4, `{"a":1`: 0, ``: 0, "\"\xff\"]": 0, "1\xff": 1,
	} {
		if n, _ := First([]byte(text)); n != want {
			t.Errorf("First(%q) is %d bytes long, want %d", text, n, want)
		}
	}
}

// FuzzOf compares the forms with the output of a JSON library.
func FuzzOf(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,"x",{"b":null}],"c":"ü"}`, `{"b":1.50,"a":-0}`, `{"a\n":1,"ü":"\"\\\b\f\n\r\t"}`, "\"\u2028<&>\u0080\uffff\"", "\"\x7f\"",
		`[1e3,01]`, `{"a":1,"a":2}`, `{"z":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"a":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		form := Of(data)
		if form == Unknown {
			return
		}
		written, err := json.Marshal(jsontext.Value(data))
		if err != nil || !bytes.Equal(written, data) {
			t.Errorf("%s is called compact, but is written as %s, %v", data, written, err)
		}
		canonical := jsontext.Value(bytes.Clone(data))
		if err := canonical.Canonicalize(); err != nil || form == Canonical && !bytes.Equal(canonical, data) {
			t.Errorf("%s is called canonical, but that is %s, %v", data, canonical, err)
		}
		var again any
		if err := json.Unmarshal(data, &again); err != nil {
			t.Errorf("%s is called valid: %v", data, err)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	v := []byte(`{"path":"docs/readme.md","start_line":1,"options":{"encoding":"utf-8","limit":200},"patterns":["one","two"]}`)
	for b.Loop() {
		if Of(v) == Unknown {
			b.Fatal("not recognized")
		}
	}
}
