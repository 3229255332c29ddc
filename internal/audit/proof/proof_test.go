package proof_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit/proof"
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func sealKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// id returns the id of a dispatcher's key.
func id(d *proof.Process) string { return string(d.Key()) }

// dispatcher returns a dispatcher that knows itself.
func dispatcher(t testing.TB, key ed25519.PrivateKey) *proof.Process {
	t.Helper()
	d := must(proof.NewDispatcher(key))(t)
	if err := d.Put(id(d), d.Key()); err != nil {
		t.Fatal(err)
	}
	return d
}

// record returns a record of a process in its stored form.
func record(worker, phase string) []byte {
	return []byte(`{"audit_id":"1","phase":"` + phase + `","tenant":"acme","worker":"` + worker + `"}`)
}

func says(worker, phase string) proof.Claim {
	return proof.Claim{Worker: []byte(worker), Phase: []byte(phase)}
}

func worker(t testing.TB, readers ...*proof.Process) *proof.Process {
	t.Helper()
	w := must(proof.NewWorker())(t)
	for _, d := range readers {
		if err := w.Put(id(d), d.Key()); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestVerdicts: who can have which record proven by a dispatcher.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	key := sealKey(t)
	d, other := dispatcher(t, key), dispatcher(t, sealKey(t))
	stranger := dispatcher(t, sealKey(t))
	if err := stranger.Put(id(d), d.Key()); err != nil {
		t.Fatal(err)
	}
	w, thief := worker(t, other, d), worker(t, d)
	of := func(p *proof.Process, worker, phase string) []byte { return p.Prove(record(worker, phase)) }
	genuine := of(w, w.ID(), "finished")
	for _, tt := range []struct {
		name          string
		record        []byte
		worker, phase string
		want          proof.Verdict
	}{
		{"a worker", genuine, w.ID(), "finished", proof.Proven},
		{"with the place of its result", bytes.ReplaceAll(genuine, []byte(`"}`), []byte(`","result_seq":17}`)), w.ID(), "finished", proof.Proven},
		{"the dispatcher", of(d, "d-1", "token_minted"), "d-1", "token_minted", proof.Proven},
		{"the dispatcher about a worker", of(d, w.ID(), "fleet_changed"), w.ID(), "fleet_changed", proof.Proven},
		{"no proof", record(w.ID(), "finished"), w.ID(), "finished", proof.Forged},
		{"another worker under its name", of(thief, w.ID(), "finished"), w.ID(), "finished", proof.Forged},
		{"a worker as a dispatcher", of(thief, "d-1", "finished"), "d-1", "finished", proof.Forged},
		{"a worker with what dispatchers write", of(thief, thief.ID(), "token_minted"), thief.ID(), "token_minted", proof.Forged},
		{"changed", bytes.Replace(genuine, []byte("acme"), []byte("evil"), 1), w.ID(), "finished", proof.Forged},
		{"for other dispatchers only", of(worker(t, other), "", "finished"), "", "finished", proof.Forged}, // which does not even name itself
		{"a dispatcher that is not trusted", of(stranger, "d-2", "finished"), "d-2", "finished", proof.Unknown},
		{"something behind it", append(genuine[:len(genuine)-1:len(genuine)-1], `,"phase":"refused"}`...), w.ID(), "finished", proof.Forged},
		{"a second object behind it", append(bytes.Clone(genuine), genuine...), w.ID(), "finished", proof.Forged},
		{"no bytes", nil, "", "", proof.Forged},
	} {
		if got := proof.NewChecker(d).Check(tt.record, says(tt.worker, tt.phase)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	alone := worker(t, other)
	if got := proof.NewChecker(d).Check(of(alone, alone.ID(), "finished"), says(alone.ID(), "finished")); got != proof.Unknown {
		t.Errorf("a worker that does not know the dispatcher: %v, want unknown", got)
	}
	if got := proof.NewChecker(other).Check(genuine, says(w.ID(), "finished")); got != proof.Proven {
		t.Errorf("the other dispatcher: %v, want proven", got)
	}
	restarted := dispatcher(t, key)
	if got := proof.NewChecker(restarted).Check(genuine, says(w.ID(), "finished")); got != proof.Proven {
		t.Errorf("the dispatcher after a restart: %v, want proven", got)
	}
}

// TestReaders: a worker proves its records to the dispatchers that it knows now, and to a bounded
// number of them.
func TestReaders(t *testing.T) {
	t.Parallel()
	d := dispatcher(t, sealKey(t))
	w := worker(t)
	if got := string(w.Prove(record(w.ID(), "finished"))); strings.Contains(got, "macs") {
		t.Errorf("without dispatchers the record is %s, want no proof", got)
	}
	if w.Known() {
		t.Error("without dispatchers records are proved to somebody")
	}
	name := id(d)
	if err := w.Put(name, d.Key()); err != nil {
		t.Fatal(err)
	}
	if key, ok := w.Public(name); !ok || !key.Equal(d.Key()) || !w.Known() {
		t.Errorf("the key of the dispatcher is %x, %v, want the key that Put got", key, ok)
	}
	w.Remove(name)
	if _, ok := w.Public(name); ok {
		t.Error("a removed key is still known")
	}
	if err := w.Put("zeros", make([]byte, 32)); err == nil {
		t.Error("a key without a secret is put")
	}
	for range 40 {
		many := dispatcher(t, sealKey(t))
		if err := w.Put(id(many), many.Key()); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Prove(record(w.ID(), "finished")); len(got) > 700 {
		t.Errorf("after 40 dispatchers a record has %d bytes", len(got))
	}
}

// FuzzCheck: no bytes end the process that checks them, and what is proven was written by the
// worker.
func FuzzCheck(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	d := dispatcher(f, key)
	w := worker(f, d)
	genuine := w.Prove(record(w.ID(), "finished"))
	f.Add(genuine)
	f.Add([]byte(`{"x":1,"key":"w","macs":""}`))
	f.Add(bytes.Replace(genuine, []byte(`"}`), []byte(`","result_seq":}`), 1))
	c := proof.NewChecker(d)
	body, _, _ := bytes.Cut(genuine, []byte(`,"key":"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c.Check(data, says(w.ID(), "finished")) == proof.Proven && !bytes.HasPrefix(data, body) {
			t.Errorf("proven: %q", data)
		}
	})
}

func BenchmarkProve(b *testing.B) {
	d := dispatcher(b, sealKey(b))
	w := worker(b, d)
	data := append(make([]byte, 0, 1024), `{"audit_id":"`+strings.Repeat("x", 620)+`"}`...)
	for b.Loop() {
		w.Prove(data[:len(data):cap(data)])
		data[len(data)-1] = '}'
	}
}

func BenchmarkCheck(b *testing.B) {
	d := dispatcher(b, sealKey(b))
	w := worker(b, d)
	data := w.Prove([]byte(`{"audit_id":"` + strings.Repeat("x", 620) + `"}`))
	c := proof.NewChecker(d)
	for b.Loop() {
		if c.Check(data, says(w.ID(), "finished")) != proof.Proven {
			b.Fatal("not proven")
		}
	}
}
