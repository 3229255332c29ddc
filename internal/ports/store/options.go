package store

import (
	"crypto/rand"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Options configure a database.
type Options struct {
	// URL is postgres://…; empty means SQLite.
	URL string
	// Dir holds SQLite's file, store.db. It is made if need be.
	Dir string
	// Sync writes each transaction of SQLite through to the disk.
	Sync bool
	// MaxDocuments and MaxBytes bound the documents of a person and their size as JSON;
	// 0 means no bound.
	MaxDocuments, MaxBytes int64
	// Keep is the time for which the result of a call is stored. It must exceed the time
	// in which the call can be delivered again.
	Keep time.Duration
	// Wait bounds the time for which a call waits for a database that is away.
	Wait time.Duration
	Log  *zap.Logger
	Now  func() time.Time
	// NewID returns the id of a new document; nil for random ones.
	NewID func() string
}

const (
	defaultKeep = 48 * time.Hour
	defaultWait = 10 * time.Second
)

func (o Options) complete() Options {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Wait <= 0 {
		o.Wait = defaultWait
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	return o
}

// idLength is enough for 60 random bits.
const idLength = 12

func randomID() string { return strings.ToLower(rand.Text()[:idLength]) }
