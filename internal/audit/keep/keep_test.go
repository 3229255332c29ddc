package keep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// rules keeps calls for a time that depends on their outcome, and of one tool none.
type rules struct{ of, all int64 }

func (r rules) Time(_, tool string, failed bool) time.Duration {
	switch {
	case tool == "never":
		return 0
	case failed:
		return 2 * time.Hour
	}
	return time.Hour
}

func (r rules) MaxBytes(tenant string) int64 {
	if tenant == "" {
		return r.all
	}
	return r.of
}

func masterKeys(t *testing.T) vault.Wrapper {
	t.Helper()
	text, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := vault.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestPack: calls are the same after they were packed, with and without encryption, and the
// block of another person or with other bytes is refused.
func TestPack(t *testing.T) {
	t.Parallel()
	calls := []Call{
		{CallID: "c1", Element: json.RawMessage(`{"result":"a secret word"}`), Arguments: json.RawMessage(`{"n":1.10}`)},
		{CallID: "c2", Element: json.RawMessage(`{}`), LeftOut: 1 << 40},
	}
	keys := masterKeys(t)
	for name, w := range map[string]vault.Wrapper{"encrypted": keys, "plain": vault.None{}} {
		b := &kept.Block{Tenant: "acme", User: "ann"}
		if err := pack(t.Context(), w, b, calls); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if readable := bytes.Contains(b.Body, []byte("secret word")); readable != (name == "plain") {
			t.Errorf("%s: the result can be read: %v", name, readable)
		}
		got, err := unpack(t.Context(), w, b)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(calls) {
			t.Errorf("%s: unpacked %v, %v", name, got, err)
		}
	}
	b := &kept.Block{Tenant: "acme", User: "ann"}
	if err := pack(t.Context(), keys, b, calls); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]kept.Block{
		"another person": {Tenant: "acme", User: "bob", Key: b.Key, Body: b.Body},
		"another tenant": {Tenant: "beta", User: "ann", Key: b.Key, Body: b.Body},
		"other bytes":    {Tenant: "acme", User: "ann", Key: b.Key, Body: append([]byte{1}, b.Body...)},
	} {
		if got, err := unpack(t.Context(), keys, &other); !errors.Is(err, vault.ErrDamaged) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := unpack(t.Context(), masterKeys(t), b); err == nil {
		t.Error("another master key opens the block")
	}
	if _, err := readCalls([]byte{5, 5, 5, 5, 'x'}); !errors.Is(err, errBlock) {
		t.Errorf("a cut block: %v", err)
	}
}

// TestBounded: a large element is kept without its values, but with their size.
func TestBounded(t *testing.T) {
	t.Parallel()
	large := `"` + strings.Repeat("x", maxElement) + `"`
	element := `{"call_id":"c1","tool":"t","status":"success","result":` + large + `,"duration_ms":1,"worker":"w1"}`
	got, left, err := bounded([]byte(element))
	var el protocol.Result
	if err != nil || left != int64(len(large)) || json.Unmarshal(got, &el) != nil || el.Result != nil || el.Worker != "w1" {
		t.Errorf("bounded to %.200s with %d bytes left out, %v", got, left, err)
	}
	if got, left, err := bounded([]byte(`{"result":1}`)); string(got) != `{"result":1}` || left != 0 || err != nil {
		t.Errorf("a small one = %s, %d, %v", got, left, err)
	}
}

// results makes results of calls, as the pump reads them.
type results struct {
	t   testing.TB
	seq uint64
}

func (r *results) of(user, tool, callID string, failed bool, result string) *stream.Final {
	r.t.Helper()
	r.seq++
	status := protocol.StatusSuccess
	if failed {
		status = protocol.StatusError
	}
	record, err := audit.Encode(&protocol.AuditRecord{
		ID: audit.FinalID + callID + "-1", Phase: protocol.AuditFinished, Tenant: "acme", User: user, Tool: tool, CallID: callID,
		Result: &protocol.AuditResult{Status: status},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	element := fmt.Sprintf(`{"call_id":%q,"tool":%q,"status":%q,"result":%q,"duration_ms":1}`, callID, tool, status, result)
	return &stream.Final{
		Seq: r.seq, Tenant: "acme", Calls: []string{callID}, Records: [][]byte{record}, Elements: [][]byte{[]byte(element)},
		Arguments: []string{`r{"of":"` + callID + `"}`}, At: time.Now(),
	}
}

func newKeeper(t *testing.T, s kept.Store, r rules) *Keeper {
	t.Helper()
	return &Keeper{
		Store: s, Rules: r, Keys: masterKeys(t), Metrics: telemetry.NewMetrics(), Log: zap.NewNop(), used: map[string]int64{},
		Hide: asSent,
	}
}

// asSent hides nothing.
func asSent(_, _, _, stored string) json.RawMessage { return json.RawMessage(stored[1:]) }

// TestKeeper: calls are kept for their times, found by their person, and not kept again after
// their place was noted.
func TestKeeper(t *testing.T) {
	t.Parallel()
	s, ctx := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn), queuetest.Context(t)
	k, r := newKeeper(t, s, rules{}), &results{t: t}
	if from, err := k.Begin(ctx, "r1", 0); from != 0 || err != nil {
		t.Fatalf("it begins at %d, %v", from, err)
	}
	all := []*stream.Final{
		r.of("ann", "tool", "fails", true, "why"), r.of("ann", "tool", "works", false, "what"), r.of("ann", "never", "never", true, "no"),
		r.of("", "tool", "nobodys", false, "x"),
	}
	for _, f := range all {
		k.Take(f, 0)
		k.Reached(f.Seq)
	}
	k.keep(ctx)
	find := func(user, callID string) (*Call, time.Duration) {
		t.Helper()
		c, until, err := k.Find(ctx, "acme", user, callID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return c, time.Until(until).Round(time.Hour)
	}
	for _, tt := range []struct {
		user, callID, result string
		hours                int
	}{{"ann", "fails", "why", 2}, {"ann", "works", "what", 1}, {"", "nobodys", "x", 1}} {
		c, hours := find(tt.user, tt.callID)
		if c == nil || !strings.Contains(string(c.Element), `"`+tt.result+`"`) || string(c.Arguments) != `{"of":"`+tt.callID+`"}` ||
			hours != time.Duration(tt.hours)*time.Hour {
			t.Errorf("%s = %+v for %v", tt.callID, c, hours)
		}
	}
	for _, at := range [][2]string{{"ann", "never"}, {"bob", "fails"}, {"ann", "nobodys"}} {
		if c, _ := find(at[0], at[1]); c != nil {
			t.Errorf("%s has %s: %+v", at[0], at[1], c)
		}
	}
	next := newKeeper(t, s, rules{})
	if from, err := next.Begin(ctx, "r1", 0); from != all[3].Seq || err != nil {
		t.Fatalf("the next one begins at %d, %v", from, err)
	}
	next.Take(all[0], 0)
	if calls, _, _, _ := next.taken(); len(calls) != 0 {
		t.Error("a kept call is kept again")
	}
}

// TestKeeperBounds: the bounds of a tenant and of all drop the oldest calls, which is counted
// and noted.
func TestKeeperBounds(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]rules{"of a tenant": {of: 20_000}, "of all": {all: 20_000}} {
		s, ctx := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn), queuetest.Context(t)
		k, made := newKeeper(t, s, r), &results{t: t}
		k.Keys = vault.None{}
		if _, err := k.Begin(ctx, "r1", 0); err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			f := made.of("ann", "tool", fmt.Sprint("c", i), false, strings.Repeat(fmt.Sprint(i), 500))
			f.Elements[0] = append(f.Elements[0][:len(f.Elements[0])-1], []byte(`,"notes":["`+noise(i)+`"]}`)...)
			k.Take(f, 0)
			k.Reached(f.Seq)
			k.keep(ctx)
		}
		first, _, err := k.Find(ctx, "acme", "ann", "c0", time.Now())
		last, _, failed := k.Find(ctx, "acme", "ann", "c29", time.Now())
		if first != nil || last == nil || err != nil || failed != nil {
			t.Errorf("%s: the first is %+v, the last %+v, %v, %v", name, first, last, err, failed)
		}
		if d, err := s.LastDropped(ctx); err != nil || d.Calls == 0 || (d.Tenant == "acme") != (r.of > 0) {
			t.Errorf("%s: noted %+v, %v", name, d, err)
		}
		if bytes, err := s.Bytes(ctx); bytes > 24_000 || err != nil {
			t.Errorf("%s: %d bytes are left, %v", name, bytes, err)
		}
	}
}

// noise returns a text that cannot be compressed.
func noise(seed int) string {
	var b strings.Builder
	for x := uint32(seed + 1); b.Len() < 1000; {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		fmt.Fprintf(&b, "%08x", x)
	}
	return b.String()
}

// TestPanic: a call that cannot be packed is left out, and those beside it are kept.
func TestPanic(t *testing.T) {
	t.Parallel()
	k, r := &Keeper{Rules: rules{}, Log: zap.NewNop()}, &results{t: t}
	k.Hide = func(_, _, _, stored string) json.RawMessage {
		if strings.Contains(stored, "c1") {
			panic("of a test")
		}
		return json.RawMessage(stored[1:])
	}
	for _, id := range []string{"c1", "c2"} {
		k.Take(r.of("ann", "tool", id, false, "x"), 0)
	}
	calls, _, _, _ := k.taken()
	if blocks := k.blocks(calls); len(blocks) != 1 || len(blocks[0].calls) != 1 || blocks[0].calls[0].CallID != "c2" {
		t.Errorf("packed are %+v", blocks)
	}
}

// TestCrowded: beyond the memory that may be used calls are left out and counted, those that
// failed later than others.
func TestCrowded(t *testing.T) {
	t.Parallel()
	k, r := &Keeper{Rules: rules{}}, &results{t: t}
	k.bytes = pendingMost
	k.Take(r.of("ann", "tool", "c1", false, "x"), 0)
	k.Take(r.of("ann", "tool", "c2", true, "x"), 0)
	if calls, _, _, left := k.taken(); len(calls) != 1 || calls[0].callID != "c2" || left != 1 {
		t.Errorf("%d calls taken, %d left out", len(calls), left)
	}
	k.bytes = 0
	k.Take(r.of("ann", "tool", "c3", false, "x"), 0)
	if calls, _, _, left := k.taken(); len(calls) != 1 || left != 0 || k.bytes != 0 {
		t.Errorf("then %d calls taken, %d left out, %d bytes wait", len(calls), left, k.bytes)
	}
}

// TestBurst: of many calls a part is packed at a time, those that failed first, and the place
// stays before the first that waits.
func TestBurst(t *testing.T) {
	t.Parallel()
	k, r := &Keeper{Rules: rules{}}, &results{t: t}
	for i := range packMost + 10 {
		f := r.of("ann", "tool", fmt.Sprint("c", i), i == packMost, "x")
		k.Take(f, 0)
		k.Reached(f.Seq)
	}
	calls, _, place, _ := k.taken()
	if len(calls) != packMost || calls[0].callID != fmt.Sprint("c", packMost) || place != packMost-1 {
		t.Errorf("first %d calls are packed, %s before others, up to %d", len(calls), calls[0].callID, place)
	}
	if calls, _, place, _ = k.taken(); len(calls) != 10 || place != packMost+10 {
		t.Errorf("then %d calls are packed, up to %d", len(calls), place)
	}
}
