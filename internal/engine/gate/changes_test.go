package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// asks runs a call that needs consent and returns the changes that the person is shown.
func (w *world) asks(arguments string) (changes []protocol.Change, binding string) {
	w.t.Helper()
	out := w.run(job("write", arguments))
	if out.Control == nil || len(w.parked) == 0 {
		w.t.Fatalf("%s ended as %+v, want it parked", arguments, out)
	}
	r := &w.parked[len(w.parked)-1].Request
	return r.Changes, r.Binding
}

// TestChangesShown: a request shows each text as it is and as it will be, within bounds, without
// what looks like a secret.
func TestChangesShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the same line\n", 10_000)
	for name, tt := range map[string]struct {
		has       string // "-" if there is no file
		arguments map[string]string
		old, now  string // "-" if it is absent
		cut       bool
	}{
		"replaced": {"old\n", map[string]string{"path": "a", "url": "new\n"}, "old\n", "new\n", false},
		"new":      {"-", map[string]string{"path": "a", "url": "new\n"}, "-", "new\n", false},
		"appended": {"old\n", map[string]string{"path": "a", "url": "new\n", "secret": "x"}, "old\n", "old\nnew\n", false},
		"gone":     {"old\n", map[string]string{"path": "a"}, "old\n", "-", false},
		"emptied":  {"", map[string]string{"path": "a", "url": "new\n"}, "", "new\n", false},
		"binary":   {"\x00\xff", map[string]string{"path": "a", "url": "new\n"}, "-", "new\n", false},
		"secrets": {
			"password=hunter22hunter\n", map[string]string{"path": "a", "url": "token: ghp_0123456789abcdefghijABCDEFGHIJ012345\n"},
			"password=•••\n", "token: •••\n", false,
		},
		"long": {
			long + "old\n" + long, map[string]string{"path": "a", "url": long + "new\n" + long},
			strings.Repeat("the same line\n", 3) + "old\n" + strings.Repeat("the same line\n", 3),
			strings.Repeat("the same line\n", 3) + "new\n" + strings.Repeat("the same line\n", 3), true,
		},
		"long and gone": {long, map[string]string{"path": "a"}, long[:(64<<10)/len("the same line\n")*len("the same line\n")], "-", true},
	} {
		w := holding(t)
		w.workspace = tooltest.Files{}
		if tt.has != "-" {
			w.workspace["a"] = tt.has
		}
		arguments, err := json.Marshal(tt.arguments)
		if err != nil {
			t.Fatal(err)
		}
		changes, _ := w.asks(string(arguments))
		if len(changes) != 1 {
			t.Errorf("%s: the request has %d changes, want one", name, len(changes))
			continue
		}
		c := changes[0]
		text := func(s *string) string {
			if s == nil {
				return "-"
			}
			return *s
		}
		if c.Path != "a" || text(c.Old) != tt.old || text(c.New) != tt.now || c.Cut != tt.cut || (c.OldSHA256 == "") != (tt.has == "-") {
			t.Errorf("%s: the request shows %.200q, %.200q, cut %t, hash %q, want %.200q, %.200q, %t", name, text(c.Old), text(c.New), c.Cut, c.OldSHA256,
				tt.old, tt.now, tt.cut)
		}
	}
}

// TestChangesAreBounded: texts whose JSON is many times as long do not make a request that fits
// into no message.
func TestChangesAreBounded(t *testing.T) {
	t.Parallel()
	w := holding(t)
	w.workspace = tooltest.Files{"a": strings.Repeat("<\x01>", 20_000)}
	arguments, err := json.Marshal(map[string]string{"path": "a", "url": strings.Repeat("&\x02\n", 20_000)})
	if err != nil {
		t.Fatal(err)
	}
	changes, _ := w.asks(string(arguments))
	text, err := json.Marshal(changes)
	if err != nil || len(text) > 256<<10 || !changes[0].Cut || len(*changes[0].Old) < 8<<10 {
		t.Errorf("the changes have %d bytes, cut %t (%v), want at most 256 KiB with a part of each text", len(text), changes[0].Cut, err)
	}
}

// TestChangedSince: an approval holds for the file that the person was shown. A call that a person
// let go on asks again about another; a token that came with a call is refused.
func TestChangedSince(t *testing.T) {
	t.Parallel()
	const arguments = `{"path": "a", "url": "new\n"}`
	for name, tt := range map[string]struct {
		now     string // the file when the call runs; "-" if it is gone
		granted bool
		runs    bool
		again   bool
	}{
		"as it was":                          {"old\n", true, true, false},
		"another":                            {"other\n", true, false, true},
		"gone":                               {"-", true, false, true},
		"as an attempt left it":              {"new\n", true, true, false},
		"another, with a token of elsewhere": {"other\n", false, false, false},
	} {
		w := holding(t)
		w.workspace = tooltest.Files{"a": "old\n"}
		_, binding := w.asks(arguments)
		if binding == "" {
			t.Fatal("the request is bound to nothing")
		}
		delete(w.workspace, "a")
		if tt.now != "-" {
			w.workspace["a"] = tt.now
		}
		j := job("write", arguments)
		j.Granted = tt.granted
		j.Token = w.mint(func(c *token.Claims) { c.Tools, c.Binding = []string{"write"}, binding })
		out := w.run(j)
		again := len(w.parked) == 2 && w.parked[1].Again && strings.Contains(w.parked[1].Request.Reason, "again") &&
			w.parked[1].Request.Binding != binding
		if ran := w.ran == 1; ran != tt.runs || again != tt.again {
			t.Errorf("%s: it ran %t and asked again %t, want %t and %t (%+v)", name, ran, again, tt.runs, tt.again, out)
		}
		if !tt.runs && !tt.again && (out.Err == nil || out.Err.Kind != tool.PermissionDenied) {
			t.Errorf("%s: it ended as %v, want permission_denied", name, out.Err)
		}
	}
}

// TestChangesAreReadOnlyToAsk: a call that nobody is asked about reads no file for that.
func TestChangesAreReadOnlyToAsk(t *testing.T) {
	t.Parallel()
	w := holding(t)
	w.workspace = tooltest.Files{"a": "old\n"}
	j := job("write", `{"path": "a", "url": "new\n"}`)
	j.Token = w.mint(func(c *token.Claims) { c.Tools = []string{"write"} })
	if out := w.run(j); w.ran != 1 || j.Binding() != "" {
		t.Errorf("the call ended as %+v, bound to %q, want it run without a look at the file", out, j.Binding())
	}
}
