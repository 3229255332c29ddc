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

// Case is one call and its expected outcome. A case that expects nothing fails, because
// it would test nothing.
type Case struct {
	Name string
	// Args is the JSON the model sends; "" is the empty object.
	Args string
	// Want, if set, is the result as JSON. It is compared as a value: order of members
	// and spelling of numbers do not matter, every digit does.
	Want string
	// WantText, if set, is the text shown to a model.
	WantText string
	// Fails, if set, is the kind of the error that the call must end in.
	Fails tool.Kind
	// Message is a part of the error's message.
	Message string
	// Check, if set, examines the result.
	Check func(t *testing.T, res tool.Result)
}

// problems describes how the outcome of a call differs from what c expects.
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

// sameNumber reports whether two numbers are equal: 1, 1.0 and 1e0 are, while integers
// that a float64 cannot distinguish are not.
func sameNumber(a, b json.Number) bool {
	const bits = 256
	x, _, errX := big.ParseFloat(string(a), 10, bits, big.ToNearestEven)
	y, _, errY := big.ParseFloat(string(b), 10, bits, big.ToNearestEven)
	return a == b || errX == nil && errY == nil && x.Cmp(y) == 0
}
