package chat

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/provider"
)

func FuzzOpenAI(f *testing.F)    { fuzzAnswer(f, "openai") }
func FuzzResponses(f *testing.F) { fuzzAnswer(f, "openai_responses") }
func FuzzAnthropic(f *testing.F) { fuzzAnswer(f, "anthropic") }
func FuzzGemini(f *testing.F)    { fuzzAnswer(f, "gemini") }

// fuzzAnswer reads any input as an answer, streamed and not. It is refused as a
// provider's failure, or it is an answer that Helve can read.
func fuzzAnswer(f *testing.F, format string) {
	files, err := filepath.Glob(filepath.Join("testdata", format, "*.*"))
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, file := range files {
		f.Add(stream(f, format, filepath.Base(file)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, read := range []func(a assembler) (client.Turn, error){
			func(a assembler) (client.Turn, error) { return readStream(bytes.NewReader(text), a) },
			func(a assembler) (client.Turn, error) { return readWhole(text, a) },
		} {
			var said strings.Builder
			turn, err := read(dialects[format].assemble(&speech{give: func(p string) { said.WriteString(p) }}, 1))
			if err != nil {
				modelError(t, err)
				continue
			}
			if said.String() != turn.Text {
				t.Errorf("the pieces are %q, Text is %q", said.String(), turn.Text)
			}
			for _, item := range turn.Append {
				if !object(jsontext.Value(item)) {
					t.Errorf("%s cannot be appended", item)
				}
			}
			calls, err := provider.Format(format).Calls(turn.Message)
			if turn.Calls > provider.MaxCalls {
				continue // which no model makes
			}
			if err != nil || len(calls) != turn.Calls {
				t.Errorf("Helve finds %d calls, the turn %d, in %s: %v", len(calls), turn.Calls, turn.Message, err)
			}
		}
	})
}
