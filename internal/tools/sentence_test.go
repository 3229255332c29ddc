package tools

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/tool"
)

// TestEveryToolThatAsksHasASentence: each tool of Helve for which a person is asked has words for
// what it will do, whose arguments it has.
func TestEveryToolThatAsksHasASentence(t *testing.T) {
	t.Parallel()
	named := sentence.Named()
	for _, set := range Builtin() {
		for _, tl := range set.Tools() {
			arguments, ok := named[tl.Name]
			if !ok && tl.Risk != tool.Low && (tl.Mutates || tl.Risk == tool.High) {
				t.Errorf("%s has no sentence: add one to internal/consent/sentence/acts.go", tl.Name)
			}
			var schema struct {
				Properties map[string]json.RawMessage `json:"properties"`
			}
			if err := json.Unmarshal(tl.Parameters, &schema); err != nil {
				t.Fatal(err)
			}
			for _, argument := range arguments {
				if schema.Properties[argument] == nil {
					t.Errorf("the sentence of %s names %s, which is no parameter", tl.Name, argument)
				}
			}
			delete(named, tl.Name)
		}
	}
	for name := range named {
		t.Errorf("%s has a sentence, and there is no such tool", name)
	}
}
