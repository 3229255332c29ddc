package codingagents

import (
	"strings"
	"testing"
)

func TestTranscript(t *testing.T) {
	var told strings.Builder
	pieces := 0
	over := 0
	t1 := transcript{budget: 1, overspent: func() { over++ }, tell: func(text string) {
		if len(text) > maxPiece {
			t.Errorf("a piece has %d bytes", len(text))
		}
		pieces++
		told.WriteString(text)
	}}
	t1.write([]byte("no end "))
	if told.Len() > 0 {
		t.Errorf("told %q before a line ended", told.String())
	}
	t1.write([]byte("yet\r\nnext "))
	if told.String() != "no end yet\n" {
		t.Errorf("told %q", told.String())
	}
	t1.write([]byte(`{"total_cost_usd": 3}`))
	if over != 0 {
		t.Error("a line was read before it ended")
	}
	t1.write([]byte("\n" + `{"total_cost_usd": 0.5}` + "\n" + `{"total_cost_usd": 3}`))
	t1.close()
	if over != 1 || *t1.reader.cost != 3 {
		t.Errorf("overspent %d times, cost %v; the line that begins with other text tells nothing", over, t1.reader.cost)
	}
	if t1.String() != told.String() || !strings.HasSuffix(told.String(), `{"total_cost_usd": 3}`) {
		t.Errorf("kept %q, told %q", t1.String(), told.String())
	}

	// Of a long text the end is kept, and the streamed amount is limited.
	told.Reset()
	pieces = 0
	for i := range 60 {
		t1.write([]byte(strings.Repeat(string(rune('a'+i%26))+"ä€\n", 20_000)))
	}
	t1.close()
	if got := t1.String(); len(got) > maxKept || len(got) < maxKept-8 || !strings.HasSuffix(got, "hä€\n") ||
		strings.ToValidUTF8(got, "") != got {
		t.Errorf("%d bytes are kept", len(got))
	}
	if told.Len() > maxStreamed+maxPiece || pieces > maxPieces || t1.total < 8_000_000 {
		t.Errorf("told %d bytes in %d pieces of %d", told.Len(), pieces, t1.total)
	}
	if cap(t1.kept) > 8*maxKept {
		t.Errorf("%d bytes are held for what is kept", cap(t1.kept))
	}
}

// A line without end needs no more memory than the limit.
func TestTranscriptOfOneLine(t *testing.T) {
	for _, events := range []bool{true, false} {
		tr := transcript{reader: reader{events: events}, tell: func(string) {}}
		for range 100 {
			tr.write([]byte(strings.Repeat("x", 100_000)))
		}
		tr.close()
		if tr.line.Cap() > 4*maxLine || len(tr.String()) > maxKept || tr.total < 10_000_000 {
			t.Errorf("events %v: the line holds %d bytes, kept are %d of %d", events, tr.line.Cap(), len(tr.String()), tr.total)
		}
	}
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		name, lines, want string
		cost              float64
		failure           string
	}{
		{"text", `{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"Bash"}]}}`, "a\n[Bash]\n", 0, ""},
		{
			"the same again",
			`{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}` + "\n" +
				`{"type":"result","subtype":"success","result":"done","total_cost_usd":0.1}`,
			"done\n", 0.1, "",
		},
		{
			"no account", `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in","total_cost_usd":0}`, "Not logged in\n", 0,
			"Not logged in",
		},
		{"failure", `{"type":"result","subtype":"error_during_execution","total_cost_usd":2}`, "", 2, "error_during_execution"},
		{
			"odd shapes",
			`{"type":"assistant","message":{"content":"text"}}` + "\n" + `{"type":"assistant"}` + "\n" + `{"type":5}` + "\n" + `{"a":1}` + "\n[1]",
			"{\"type\":5}\n{\"a\":1}\n[1]\n", 0, "",
		},
		{"text between", "Total cost:  $0.25 so far\n{broken", "Total cost:  $0.25 so far\n{broken\n", 0.25, ""},
		{"negative", `{"type":"result","total_cost_usd":-1}`, "", 0, ""},
	} {
		tr := transcript{reader: reader{events: true}, tell: func(string) {}, budget: 1, overspent: func() { t.Errorf("%s: overspent", tt.name) }}
		tr.write([]byte(tt.lines + "\r\n"))
		tr.close()
		cost := 0.0
		if tr.reader.cost != nil {
			cost = *tr.reader.cost
		}
		if tr.String() != tt.want || cost != tt.cost || tr.reader.failure != tt.failure {
			t.Errorf("%s: %q, cost %v, failure %q; want %q, %v, %q", tt.name, tr.String(), cost, tr.reader.failure, tt.want, tt.cost, tt.failure)
		}
	}
}
