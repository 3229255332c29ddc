package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// person is the user whose calls these tests park, and who decides about them.
const person = "u1"

// guarded returns a call of the person that needs their consent.
func (w *world) guarded(id string) *call {
	return w.call(defaultTenant, id, "debug.guarded", map[string]any{"key": id})
}

// asPerson sends calls in the person's name, in one request.
func (d door) asPerson(wait time.Duration, calls ...*call) answer {
	body, err := json.Marshal(map[string]any{
		"context": map[string]string{"user": person}, "calls": calls, "wait_ms": wait.Milliseconds(),
	})
	if err != nil {
		return answer{err: err}
	}
	var got struct {
		Results []element `json:"results"`
	}
	status, err := request(http.MethodPost, d.url+"/v1/execute", defaultTenant, body, &got)
	return answer{status: status, elements: got.Results, err: err}
}

// sendAsPerson is asPerson on its own goroutine.
func (d door) sendAsPerson(wait time.Duration, calls ...*call) <-chan answer {
	got := make(chan answer, 1)
	go func() { got <- d.asPerson(wait, calls...) }()
	return got
}

// consent is the part of a request in the inbox that these tests read.
type consent struct {
	ID     string `json:"consent_id"`
	Status string `json:"status"`
	Call   struct {
		ID string `json:"call_id"`
	} `json:"call"`
}

// inbox lists the person's requests of a status, all with "".
func (d door) inbox(status string) []consent {
	var got struct {
		Consents []consent `json:"consents"`
	}
	code, err := request(http.MethodGet, d.url+"/v1/consents?user="+person+"&status="+url.QueryEscape(status), defaultTenant, nil, &got)
	if err != nil || code != http.StatusOK {
		return nil
	}
	return got.Consents
}

// asked waits until a call's request is in the inbox, and returns its id.
func (d door) asked(c *call) (id string) {
	d.t.Helper()
	await(d.t, "the request of "+c.ID, func() bool {
		for _, r := range d.inbox("pending") {
			if r.Call.ID == c.ID {
				id = r.ID
			}
		}
		return id != ""
	})
	return id
}

// park sends a call that needs consent, and waits until it is parked.
func (d door) park(c *call) (consentID string) {
	d.t.Helper()
	if a := d.asPerson(time.Minute, c); a.status != http.StatusOK || len(a.elements) != 1 || a.elements[0].State != "awaiting_consent" {
		d.t.Fatalf("%s was answered %+v, want it to await its person", c.ID, a)
	}
	return d.asked(c)
}

// decide sends "grant" or "deny" in the person's name. It returns the status, 0 if no
// answer came.
func (d door) decide(consentID, say string) int {
	body := fmt.Appendf(nil, `{"decision": %q, "by": %q}`, say, person)
	status, err := request(http.MethodPost, d.url+"/v1/consents/"+consentID+"/decision", defaultTenant, body, nil)
	if err != nil {
		return 0
	}
	return status
}

// ended waits until a call has its result, without sending it again.
func (d door) ended(c *call) (e element) {
	d.t.Helper()
	await(d.t, "the end of "+c.ID, func() bool {
		var status int
		e, status = d.get(c)
		return status == http.StatusOK && e.ended()
	})
	return e
}

// saidAndDone compares the ends of decided calls with the verdict: a granted call ran once
// and succeeded, a denied one never ran, and each has one result.
func (w *world) saidAndDone(d door, say string, calls ...*call) {
	w.t.Helper()
	want, lines := "success", 1
	if say == "deny" {
		want, lines = "permission_denied", 0
	}
	for _, c := range calls {
		if e := d.ended(c); e.outcome() != want {
			w.t.Errorf("%s ended in %s (%s), want %s", c.ID, e.outcome(), e.Message, want)
		}
	}
	await(w.t, "an empty inbox", func() bool { return len(d.inbox("pending")) == 0 && w.observe().open() == 0 })
	w.settled(d)
	for _, c := range calls {
		if n := w.personalLedger()[c.ID]; n != lines {
			w.t.Errorf("%s wrote %d lines, want %d", c.ID, n, lines)
		}
	}
}

// personalLedger counts the lines of the person's ledger by call_id.
func (w *world) personalLedger() map[string]int {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.data, "workspaces", defaultTenant, person, "ledger.txt"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 {
			lines[words[1]]++
		} else {
			w.t.Errorf("ledger line %q, want <key> <call_id> <unix_ns>", line)
		}
	}
	return lines
}

// open returns the number of requests in the inbox's stream.
func (o observer) open() uint64 {
	o.t.Helper()
	return o.stored("helve.v1.default.consent.request." + person)
}

// record is the part of an audit record that these tests read.
type record struct {
	AuditID string `json:"audit_id"`
	Phase   string `json:"phase"`
	CallID  string `json:"call_id"`
	Detail  string `json:"detail"`
	Result  *struct {
		Status string `json:"status"`
	} `json:"result"`
}

// records reads the complete audit trail from NATS, once the final record of every stored
// result is on it, and checks that each of those is there once.
func (o observer) records() (all []record) {
	o.t.Helper()
	await(o.t, "the final records on the trail", func() bool {
		lines := map[string]int{}
		all = nil
		o.each("helve.v1.default.audit.tool", func(msg jetstream.Msg) {
			for line := range strings.SplitSeq(string(msg.Data()), "\n") {
				var r record
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					o.t.Fatalf("record %q: %v", line, err)
				}
				lines[proofless(line)]++
				all = append(all, r)
			}
		})
		written := true
		ended := map[string]bool{}
		o.each(anyResult, func(msg jetstream.Msg) {
			for _, one := range inGroup(msg) {
				line := proofless(string(one.record))
				key := strings.Split(msg.Subject(), ".")[2] + "/" + one.callID
				switch meta, err := msg.Metadata(); {
				case line == "" || err != nil:
					continue
				case ended[key]:
					line = strings.Replace(line, `"phase":"finished"`, `"phase":"superseded"`, 1)
				case msg.Headers().Get("Helve-Group") != "":
					line = fmt.Sprintf(`%s,"result_seq":%d}`, line[:len(line)-1], meta.Sequence.Stream)
				}
				ended[key] = true
				if written = written && lines[line] > 0; lines[line] > 1 {
					o.t.Errorf("%d times on the trail: %s", lines[line], line)
				}
			}
		})
		return written
	})
	return all
}

// proofless returns a record without the proof of its writer, which the pump replaces where it
// changes a record.
func proofless(line string) string {
	return proofOf.ReplaceAllString(line, "")
}

var proofOf = regexp.MustCompile(`,"key":"[^"]*","macs":"[^"]*"`)

// each gives every message of a subject's stream.
func (o observer) each(subject string, have func(jetstream.Msg)) {
	o.t.Helper()
	s := o.streamOf(subject)
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		o.t.Fatal(err)
	}
	for left := s.CachedInfo().State.Msgs; left > 0; left-- {
		have(o.next(c, left))
	}
}

// next reads a message of a new consumer, which the servers of a cluster may not know yet.
func (o observer) next(c jetstream.Consumer, left uint64) (msg jetstream.Msg) {
	o.t.Helper()
	await(o.t, fmt.Sprintf("the next of %d messages", left), func() bool {
		var err error
		if msg, err = c.Next(jetstream.FetchMaxWait(10 * time.Second)); err != nil && !errors.Is(err, nats.ErrNoResponders) {
			o.t.Fatalf("%d messages could not be read: %v", left, err)
		}
		return err == nil
	})
	return msg
}

// wantStory compares the records of a call with phases, in order. A record may be there
// twice, under one audit_id, if its acknowledgement was lost.
func (w *world) wantStory(c *call, phases ...string) {
	w.t.Helper()
	seen, got := map[string]bool{}, []string(nil)
	for _, r := range w.observe().records() {
		if r.CallID == c.ID && !seen[r.AuditID] {
			seen[r.AuditID], got = true, append(got, r.Phase)
		}
	}
	if !slices.Equal(got, phases) {
		w.t.Errorf("on record of %s: %q, want %q", c.ID, got, phases)
	}
}
