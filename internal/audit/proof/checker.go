package proof

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hmac"
	"sync"

	"github.com/helve-dev/helve/protocol"
)

// Checker checks proofs for the dispatcher that seals with a key. Its methods may be called
// concurrently.
type Checker struct {
	process *Process
	tag     string

	mu sync.Mutex
	// writers are those that were seen, by the member "key" of their records.
	writers map[string]*writer
}

// writer is a writer, with the secret that this dispatcher shares with it.
type writer struct {
	*shared
	key []byte // its public half
	id  string // if it is a worker
	own bool   // whether this dispatcher's key is the writer's
}

// writersMost bounds the writers that are remembered: strangers may make up any number.
const writersMost = 4096

// NewChecker returns the checker of a dispatcher, which trusts the dispatchers that it knows.
func NewChecker(p *Process) *Checker {
	return &Checker{process: p, tag: tagOf(p.Key()), writers: map[string]*writer{}}
}

// Claim has the members "worker" and "phase" of a record.
type Claim struct{ Worker, Phase []byte }

// Check checks a record in its stored form.
func (c *Checker) Check(record []byte, says Claim) Verdict {
	p, ok := split(record)
	if !ok {
		return Forged
	}
	w := c.writer(p)
	if w == nil || w.id != "" && (w.id != string(says.Worker) || ofDispatchers[protocol.AuditPhase(says.Phase)]) {
		return Forged
	}
	mac := p.of(c.tag)
	if mac == nil || w.id == "" && !w.own && !c.process.trusts(w.key) {
		return Unknown
	}
	var room [tagLetters + macLetters]byte
	if !hmac.Equal(w.append(room[:0], p.body)[tagLetters:], mac) {
		return Forged
	}
	return Proven
}

// writer returns the writer of a record, nil if its key is none.
func (c *Checker) writer(p parts) *writer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.writers[string(p.key)]; w != nil {
		return w
	}
	key, ok := p.public()
	if !ok {
		return nil
	}
	other, err := ecdh.X25519().NewPublicKey(key)
	if err != nil {
		return nil
	}
	m, err := share(c.process.private, other, false)
	if err != nil { // a key without a secret
		return nil
	}
	w := &writer{shared: m, key: key, own: bytes.Equal(key, c.process.Key())}
	if p.role() == worker {
		w.id = workerID(key)
	}
	if len(c.writers) >= writersMost {
		clear(c.writers)
	}
	c.writers[string(p.key)] = w
	return w
}

// ofDispatchers are the phases that no worker writes.
var ofDispatchers = map[protocol.AuditPhase]bool{
	protocol.AuditTokenMinted: true, protocol.AuditGrantChanged: true, protocol.AuditAgentChanged: true, protocol.AuditRetentionChanged: true,
	protocol.AuditCallViewed: true, protocol.AuditCustomToolChanged: true, protocol.AuditPersonalData: true, protocol.AuditFleetChanged: true,
	protocol.AuditDeadChanged: true, protocol.AuditServiceChanged: true, protocol.AuditCallbackFailed: true,
	protocol.AuditSessionChanged: true,
	protocol.AuditConsentDecided: true, protocol.AuditUpstreamChanged: true, protocol.AuditSuperseded: true,
}

// The proof in a record.
var (
	keyMember  = []byte(`,"key":"`)
	macsMember = []byte(`","macs":"`)
	seqMember  = []byte(`,"result_seq":`)
)

// keyLetters is the length of the member "key".
var keyLetters = 1 + letters.EncodedLen(ed25519.PublicKeySize)

// parts are the parts of a record with a proof.
type parts struct {
	// body is the record up to its proof.
	body      []byte
	key, macs []byte
}

// split finds the proof at the end of a record. Behind it may be only what the pump appends: the
// place of the record's result.
func split(record []byte) (p parts, ok bool) {
	at := bytes.LastIndex(record, keyMember)
	if at < 0 {
		return p, false
	}
	p.body = record[:at]
	rest := record[at+len(keyMember):]
	if len(rest) < keyLetters || !bytes.HasPrefix(rest[keyLetters:], macsMember) {
		return p, false
	}
	p.key, rest = rest[:keyLetters], rest[keyLetters+len(macsMember):]
	end := bytes.IndexByte(rest, '"')
	if end < 0 || end%(tagLetters+macLetters) != 0 || end > readersMost*(tagLetters+macLetters) {
		return p, false
	}
	p.macs, rest = rest[:end], rest[end+1:]
	if seq, found := bytes.CutPrefix(rest, seqMember); found {
		rest = bytes.TrimLeft(seq, "0123456789")
	}
	return p, string(rest) == "}"
}

func (p *parts) role() byte { return p.key[0] }

// public returns the public half of the writer.
func (p *parts) public() ([]byte, bool) {
	if p.role() != worker && p.role() != dispatcher {
		return nil, false
	}
	public, err := letters.Strict().DecodeString(string(p.key[1:]))
	return public, err == nil && len(public) == ed25519.PublicKeySize
}

// of returns the HMAC for a dispatcher, nil if there is none.
func (p *parts) of(tag string) []byte {
	for rest := p.macs; len(rest) > 0; rest = rest[tagLetters+macLetters:] {
		if string(rest[:tagLetters]) == tag {
			return rest[tagLetters : tagLetters+macLetters]
		}
	}
	return nil
}
