package tooltest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/helve-dev/helve/tool"
)

// Case is one call and what must come of it. A case that expects nothing at
// all fails, because it would test nothing.
type Case struct {
	Name string
	// Args is the JSON the model sends; "" is the empty object.
	Args string
	// Want, where set, is the result as JSON. It is compared as a value: order
	// of members and spelling of numbers do not count, every digit does.
	Want string
	// WantText, where set, is the text a model is shown.
	WantText string
	// Fails, where set, is the kind of the error the call must end in.
	Fails tool.Kind
	// Message is what the error's message must hold.
	Message string
	// Check, where set, looks at a result closer.
	Check func(t *testing.T, res tool.Result)
}

// problems says in what the outcome of a call is not what c expects.
func (c *Case) problems(res tool.Result, err error) []string {
	if c.Want == "" && c.WantText == "" && c.Fails == "" && c.Check == nil {
		return []string{"the case expects nothing: set Want, WantText, Fails or Check"}
	}
	if c.Fails == "" && c.Message != "" {
		return []string{"the case has a Message but no Fails"}
	}
	if c.Fails != "" {
		return c.failureProblems(res, err)
	}
	if err != nil {
		return []string{fmt.Sprintf("error %v, want success", tool.AsError(err))}
	}
	var all []string
	if c.Want != "" {
		if diff := diffJSON(c.Want, string(res.Value)); diff != "" {
			all = append(all, "result differs (-want +got):\n"+diff)
		}
	}
	if c.WantText != "" && res.Text != c.WantText {
		all = append(all, fmt.Sprintf("text = %q, want %q", res.Text, c.WantText))
	}
	return all
}

func (c *Case) failureProblems(res tool.Result, err error) []string {
	if err == nil {
		return []string{fmt.Sprintf("result %s, want error %s", res.Value, c.Fails)}
	}
	var all []string
	failure := tool.AsError(err)
	if failure.Kind != c.Fails {
		all = append(all, fmt.Sprintf("error %v, want kind %s", failure, c.Fails))
	}
	if !strings.Contains(failure.Msg, c.Message) {
		all = append(all, fmt.Sprintf("message %q, want it to hold %q", failure.Msg, c.Message))
	}
	return all
}

// diffJSON compares two JSON texts as values and returns "" if they are equal.
func diffJSON(want, got string) string {
	wantValue, err := decode(want)
	if err != nil {
		return fmt.Sprintf("the wanted result is not JSON: %v", err)
	}
	gotValue, err := decode(got)
	if err != nil {
		return fmt.Sprintf("the result is not JSON: %v", err)
	}
	return cmp.Diff(wantValue, gotValue, cmp.Comparer(sameNumber))
}

func decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("something follows the value")
	}
	return v, nil
}

// sameNumber takes 1, 1.0 and 1e0 for the same, and tells apart integers that
// a float64 cannot.
func sameNumber(a, b json.Number) bool {
	const bits = 256
	x, _, errX := big.ParseFloat(string(a), 10, bits, big.ToNearestEven)
	y, _, errY := big.ParseFloat(string(b), 10, bits, big.ToNearestEven)
	return a == b || errX == nil && errY == nil && x.Cmp(y) == 0
}
