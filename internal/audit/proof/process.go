package proof

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// The roles of a process, as in its id.
const (
	worker     = 'w'
	dispatcher = 'd'
)

const (
	// keyLabel derives the pair of a dispatcher, macLabel the secret of a writer and a dispatcher.
	keyLabel = "helve audit reader v1"
	macLabel = "helve audit record v1"
	// readersMost bounds the dispatchers for which a record is proved. Those that share their
	// keys count once.
	readersMost = 16
	// idLetters is the length of a worker's id after its role: 80 bits.
	idLetters = 16
)

var letters = base64.RawURLEncoding

// Process is a process that writes records. It follows the keys of the dispatchers that may seal
// them, as a [keysync.Ring]. All methods may be called concurrently.
type Process struct {
	private *ecdh.PrivateKey
	// key is the member of a record.
	key string
	id  string

	mu      sync.Mutex
	readers atomic.Pointer[[]*shared]
}

// NewWorker returns a new worker.
func NewWorker() (*Process, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	p := newProcess(worker, private)
	p.id = workerID(private.PublicKey().Bytes())
	return p, nil
}

// NewDispatcher returns the dispatcher that seals with a key.
func NewDispatcher(seal ed25519.PrivateKey) (*Process, error) {
	private, err := pairOf(seal)
	if err != nil {
		return nil, err
	}
	return newProcess(dispatcher, private), nil
}

func newProcess(role byte, private *ecdh.PrivateKey) *Process {
	p := &Process{private: private, key: string(role) + letters.EncodeToString(private.PublicKey().Bytes())}
	p.readers.Store(&[]*shared{})
	return p
}

// pairOf returns the pair of the dispatcher that seals with a key.
func pairOf(seal ed25519.PrivateKey) (*ecdh.PrivateKey, error) {
	if len(seal) != ed25519.PrivateKeySize {
		return nil, errors.New("there is no key that seals")
	}
	secret, err := hkdf.Key(sha256.New, seal.Seed(), nil, keyLabel, sha256.Size)
	if err != nil {
		return nil, err
	}
	return ecdh.X25519().NewPrivateKey(secret)
}

func workerID(public []byte) string {
	sum := sha256.Sum256(public)
	return string(worker) + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:idLetters]
}

// ID returns the id of a worker.
func (p *Process) ID() string { return p.id }

// Key returns the public half, of 32 bytes, in the type in which keys are made known.
func (p *Process) Key() ed25519.PublicKey { return p.private.PublicKey().Bytes() }

// Put adds the key of a dispatcher to which records are proved. Of too many the first is forgotten.
func (p *Process) Put(id string, key ed25519.PublicKey) error {
	public, err := ecdh.X25519().NewPublicKey(key)
	if err != nil {
		return err
	}
	m, err := share(p.private, public, true)
	if err != nil {
		return err
	}
	m.id = id
	p.mu.Lock()
	defer p.mu.Unlock()
	all := append(p.without(id), m)
	all = all[max(0, len(all)-readersMost):]
	p.readers.Store(&all)
	return nil
}

// Remove removes the key of a dispatcher.
func (p *Process) Remove(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.without(id)
	p.readers.Store(&all)
}

func (p *Process) without(id string) []*shared {
	return slices.DeleteFunc(slices.Clone(*p.readers.Load()), func(m *shared) bool { return m.id == id })
}

// Expect does nothing: a record is written now or not at all.
func (p *Process) Expect(string, bool) {}

// Public returns the key of a dispatcher to which records are proved.
func (p *Process) Public(id string) (ed25519.PublicKey, bool) {
	for _, m := range *p.readers.Load() {
		if m.id == id {
			return m.public, true
		}
	}
	return nil, false
}

// Known reports whether records are proved to anybody.
func (p *Process) Known() bool { return len(*p.readers.Load()) > 0 }

// trusts reports whether a public half is that of a dispatcher that is known.
func (p *Process) trusts(public []byte) bool {
	return slices.ContainsFunc(*p.readers.Load(), func(m *shared) bool { return bytes.Equal(m.public, public) })
}

// Prove appends the proof to a record in its stored form. It may overwrite the record.
func (p *Process) Prove(record []byte) []byte {
	readers := *p.readers.Load()
	if len(readers) == 0 || len(record) < 2 {
		return record
	}
	end := len(record) - 1
	out := record[:end]
	out = append(append(append(out, keyMember...), p.key...), macsMember...)
	for _, m := range readers {
		out = m.append(out, out[:end])
	}
	return append(out, '"', '}')
}
