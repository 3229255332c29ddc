package kept

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Headers of a block.
const (
	// headerCalls has a short hash of the id of each call, separated by spaces.
	headerCalls = "Helve-Calls"
	// headerSince is when the first of its calls ended, in milliseconds since 1970.
	headerSince = "Helve-Since"
	// headerKey decrypts the body; a body without it is not encrypted.
	headerKey = "Helve-Key"
	// headerTTL is the time to live, which the server reads, in seconds, and headerUntil when it
	// ends, in milliseconds since 1970.
	headerTTL   = "Nats-TTL"
	headerUntil = "Helve-Until"
	// headerSize is the size of a message that is read without its body.
	headerSize = "Nats-Msg-Size"
)

// nobody is the person of calls without a user.
const nobody = "_"

// Block is several calls of one person that are kept equally long.
type Block struct {
	Tenant, User string
	// Calls are their ids; of a block that was read they are left out.
	Calls []string
	// Since is when the first of them ended, TTL the time for which the block is kept.
	Since time.Time
	TTL   time.Duration
	// Key decrypts Body; it is empty if that is not encrypted.
	Key  string
	Body []byte
	// Until is when a block that was read expires.
	Until time.Time
}

// Store is the storage of kept calls. It keeps nothing itself.
type Store struct {
	conn *natsio.Conn
	tree subject.Tree
}

// On returns the storage by way of a connection.
func On(c *natsio.Conn) Store { return Store{c, c.Tree()} }

// subject is that of the blocks of a person; both may be wildcards.
func (s Store) subject(tenant, user string) string {
	return s.tree.Of(tenant, "kept", cmp.Or(user, nobody))
}

// Write stores a block.
func (s Store) Write(ctx context.Context, b *Block) error {
	if !subject.IsName(b.Tenant) || b.User != "" && !subject.IsName(b.User) {
		return errors.New("a block of kept calls needs the names of a tenant and of a person")
	}
	var calls strings.Builder
	for i, id := range b.Calls {
		if i > 0 {
			calls.WriteByte(' ')
		}
		calls.WriteString(hash(id))
	}
	msg := &nats.Msg{Subject: s.subject(b.Tenant, b.User), Data: b.Body, Header: nats.Header{
		headerCalls: {calls.String()},
		headerSince: {strconv.FormatInt(b.Since.UnixMilli(), 10)},
		headerTTL:   {strconv.FormatInt(max(int64(b.TTL/time.Second), 1), 10)},
		headerUntil: {strconv.FormatInt(time.Now().Add(b.TTL).UnixMilli(), 10)},
	}}
	if b.Key != "" {
		msg.Header[headerKey] = []string{b.Key}
	}
	return s.conn.PublishWait(ctx, msg)
}

// hash is short, so that the header is: a block with a call of the same hash is read in vain.
func hash(callID string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(callID))
	return strconv.FormatUint(h.Sum64(), 36)
}

const (
	// skew is the time by which the clock of a worker may differ from that of the server.
	skew = 5 * time.Minute
	// walkBatch is the number of headers that are read at a time.
	walkBatch = 500
)

var errEnd = errors.New("the end")

// Find gives each block that may hold a call which ended at a time, until each returns true.
func (s Store) Find(ctx context.Context, tenant, user, callID string, ended time.Time, each func(*Block) bool) error {
	var places []uint64
	w := natsio.Walk{
		Conn: s.conn, Stream: streams.Kept, Filter: s.subject(tenant, user), Since: ended.Add(-skew), Batch: walkBatch, Headers: true,
	}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		if moment(msg, headerSince).After(ended.Add(skew)) {
			return errEnd
		}
		if mentions(msg.Header.Get(headerCalls), callID) {
			places = append(places, meta.Sequence.Stream)
		}
		return nil
	}
	if err := w.Run(ctx); err != nil && !errors.Is(err, errEnd) {
		return err
	}
	for _, place := range places {
		msg, err := s.conn.At(ctx, streams.Kept, place)
		if errors.Is(err, natsio.ErrNotStored) {
			continue
		}
		if err != nil {
			return err
		}
		if msg.Subject != s.subject(tenant, user) {
			continue // the stream was made again
		}
		if each(read(msg, tenant, user)) {
			return nil
		}
	}
	return nil
}

func mentions(hashes, callID string) bool {
	want := hash(callID)
	for h := range strings.SplitSeq(hashes, " ") {
		if h == want {
			return true
		}
	}
	return false
}

func read(msg *nats.Msg, tenant, user string) *Block {
	return &Block{
		Tenant: tenant, User: user, Since: moment(msg, headerSince), Until: moment(msg, headerUntil),
		Key: msg.Header.Get(headerKey), Body: msg.Data,
	}
}

func moment(msg *nats.Msg, header string) time.Time {
	ms, _ := strconv.ParseInt(msg.Header.Get(header), 10, 64)
	return time.UnixMilli(ms)
}

// Erase removes the kept calls of a person, and returns how many there were. Calls without a
// user are those of the person "_".
func (s Store) Erase(ctx context.Context, tenant, user string) (calls int, err error) {
	w := natsio.Walk{Conn: s.conn, Stream: streams.Kept, Filter: s.subject(tenant, user), Batch: walkBatch, Headers: true}
	w.Each = func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		calls += count(msg)
		return nil
	}
	if err := w.Run(ctx); err != nil {
		return 0, err
	}
	return calls, natsio.Purge(ctx, s.conn, streams.Kept, s.subject(tenant, user))
}

func count(msg *nats.Msg) int { return len(strings.Fields(msg.Header.Get(headerCalls))) }
