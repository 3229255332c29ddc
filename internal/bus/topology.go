package bus

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Names of what Helve keeps in JetStream.
const (
	StreamCalls   = "HELVE_CALLS"
	StreamResults = "HELVE_RESULTS"
	StreamOnce    = "HELVE_ONCE"
	StreamDead    = "HELVE_DEAD"
	// StreamAudit holds the audit records and StreamSeals the signed chain over
	// them, which the first to write a seal owns.
	StreamAudit = "HELVE_AUDIT"
	StreamSeals = "HELVE_SEALS"
	// StreamParked holds calls that wait for a person, and the one verdict of
	// each; StreamConsent is the inbox, with a bound for each user;
	// StreamDecisions tells what was decided; StreamTimers fires when nobody
	// decided in time, and only dispatchers may publish to it.
	StreamParked    = "HELVE_PARKED"
	StreamConsent   = "HELVE_CONSENT"
	StreamDecisions = "HELVE_DECISIONS"
	StreamTimers    = "HELVE_TIMERS"
	BucketCatalog   = "helve_catalog"
	BucketAgents    = "helve_agents"
	// BucketGrants holds what people allowed or refused for longer than a call,
	// BucketAsks which permission is being asked for, BucketKeys the public keys
	// of dispatchers, BucketLeases who does what only one may do at a time, and
	// BucketSealed the last seal of each tenant.
	BucketGrants = "helve_grants"
	BucketAsks   = "helve_asks"
	BucketKeys   = "helve_keys"
	BucketLeases = "helve_leases"
	BucketSealed = "helve_sealed"
	// BucketCustom holds the tools that models wrote, BucketLoads what workers
	// could not load of their tools directories.
	BucketCustom = "helve_custom"
	BucketLoads  = "helve_loads"
	// BucketRates holds how much was called lately, where that is bounded.
	BucketRates = "helve_rates"
	// BucketDocuments holds what tools keep for a person between calls, each key
	// with a time of its own.
	BucketDocuments = "helve_documents"
	// BucketRemote holds the definitions of tools that run in processes outside, and
	// which processes are there, who are forgotten when they are not heard of.
	BucketRemote = "helve_remote"
	// BucketUpstream holds which definitions of MCP servers' tools may be offered.
	BucketUpstream = "helve_upstream"
	// ObjectsCalls and ObjectsResults hold what is too large for a message.
	ObjectsCalls   = "HELVE_CALLS"
	ObjectsResults = "HELVE_RESULTS"
)

// ratesMaxAge is the longest time a rate limit may speak of: what is older counts for
// nothing.
const ratesMaxAge = 24 * time.Hour

// loadsMaxAge is how long the load errors of a worker are kept that does not
// repeat them.
const loadsMaxAge = 10 * time.Minute

// deadMaxAge is how long unreadable messages are kept for an operator.
const deadMaxAge = 7 * 24 * time.Hour

// onceMargin is how much longer once-only records live than what they guard:
// a record that expired first would let a call run twice.
const onceMargin = time.Hour

func (b *Bus) streams() []jetstream.StreamConfig {
	p, o := b.subj.prefix, b.opts
	once := func(name string, age time.Duration, bytes int64, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: subjects, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: age, MaxBytes: maxBytes(bytes),
			// One message a subject, and the first one stays: the once-only write.
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			AllowDirect: o.Replicas == 1, DenyDelete: true, DenyPurge: true, Duplicates: o.DuplicateWindow,
		}
	}
	return []jetstream.StreamConfig{
		{
			Name: StreamCalls, Subjects: []string{p + ".*.call.>"}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.CallsMaxAge, MaxBytes: maxBytes(o.CallsMaxBytes),
			Discard: jetstream.DiscardNew, Duplicates: o.DuplicateWindow,
		},
		once(StreamResults, o.ResultsMaxAge, o.ResultsMaxBytes, p+".*.result.*.*"),
		once(StreamOnce, o.CallsMaxAge+o.ConsentTTL+o.ResultsMaxAge+onceMargin, 0, p+".*.once.*.*"),
		{
			Name: StreamDead, Subjects: []string{p + ".*.dead.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: deadMaxAge, MaxBytes: 256 << 20,
		},
		{
			// Full means refused: a record is never pushed out by another.
			Name: StreamAudit, Subjects: []string{p + ".*.audit.>"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.AuditMaxAge, MaxBytes: maxBytes(o.AuditMaxBytes),
			Discard: jetstream.DiscardNew, AllowDirect: o.Replicas == 1, DenyDelete: true, DenyPurge: true,
			Duplicates: o.DuplicateWindow,
		},
		once(StreamSeals, o.AuditMaxAge, 0, p+".*.seal.*"),
		once(StreamParked, o.consentKeep(), 0, p+".*.parked.*.*", p+".*.refused.*", p+".*.verdict.*"),
		{
			// The server itself counts what waits for a user, so that no number
			// of workers can let more in.
			Name: StreamConsent, Subjects: []string{p + ".*.consent.request.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.consentKeep(),
			MaxMsgsPerSubject: o.ConsentsPerUser, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			AllowDirect: o.Replicas == 1, DenyPurge: true, Duplicates: o.DuplicateWindow,
		},
		{
			Name: StreamDecisions, Subjects: []string{p + ".*.consent.decision.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.consentKeep(), DenyDelete: true, DenyPurge: true,
			Duplicates: o.DuplicateWindow,
		},
		{
			Name: StreamTimers, Subjects: []string{p + ".*.timer.*", p + ".*.fired.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.consentKeep(), MaxMsgsPerSubject: 1,
			AllowMsgSchedules: true, Duplicates: o.DuplicateWindow,
		},
	}
}

// consentKeep is how long everything about a consent is kept.
func (o Options) consentKeep() time.Duration { return o.ConsentTTL + o.ResultsMaxAge + onceMargin }

func maxBytes(n int64) int64 {
	if n <= 0 {
		return -1
	}
	return n
}

// prepareRetry is the pause between attempts to set up JetStream.
const prepareRetry = time.Second

// Prepare creates or updates streams, buckets and object stores. It is
// idempotent and any number of processes may do it at once. While NATS cannot
// be reached it tries again, with a log line each time, until ctx ends.
func (b *Bus) Prepare(ctx context.Context) error {
	for {
		err := b.prepare(ctx)
		if err == nil {
			return nil
		}
		b.log.Warn("nats is not ready; trying again", zap.Duration("in", prepareRetry), zap.Error(err))
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		case <-time.After(prepareRetry):
		}
	}
}

// prepareTimeout bounds one attempt.
const prepareTimeout = 10 * time.Second

func (b *Bus) prepare(ctx context.Context) error {
	if !b.nc.IsConnected() {
		return b.away()
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	for _, cfg := range b.streams() {
		if err := b.ensure(ctx, cfg.Name, fits(cfg), func(ctx context.Context, is jetstream.StreamConfig) error {
			if outlives[cfg.Name] {
				cfg.MaxAge = max(cfg.MaxAge, is.MaxAge)
			}
			_, err := b.js.CreateOrUpdateStream(ctx, cfg)
			return err
		}); err != nil {
			return err
		}
	}
	for _, bucket := range []string{BucketCatalog, BucketAgents, BucketGrants, BucketAsks, BucketKeys, BucketLeases, BucketSealed, BucketCustom, BucketLoads, BucketRates, BucketDocuments, BucketRemote, BucketUpstream} {
		ttl, marker := time.Duration(0), time.Duration(0)
		switch bucket {
		case BucketDocuments, BucketRemote: // their keys have times of their own
			marker = markerTTL
		case BucketAsks:
			ttl = b.opts.consentKeep()
		case BucketLoads:
			ttl = loadsMaxAge
		case BucketRates:
			ttl = ratesMaxAge
		}
		if err := b.ensure(ctx, "KV_"+bucket, kept(b.opts.Replicas, ttl), func(ctx context.Context, is jetstream.StreamConfig) error {
			if ttl > 0 {
				ttl = max(ttl, is.MaxAge)
			}
			_, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
				Bucket: bucket, Replicas: b.opts.Replicas, History: 1, Storage: jetstream.FileStorage, TTL: ttl,
				LimitMarkerTTL: marker,
			})
			return err
		}); err != nil {
			return err
		}
	}
	calls, err := b.objects(ctx, ObjectsCalls, b.opts.CallsMaxAge+b.opts.consentKeep())
	if err != nil {
		return err
	}
	results, err := b.objects(ctx, ObjectsResults, b.opts.ResultsMaxAge)
	if err != nil {
		return err
	}
	if !b.prepared.Load() { // once they are in use they stay
		b.callData, b.resultData = calls, results
		b.prepared.Store(true)
	}
	return nil
}

func (b *Bus) objects(ctx context.Context, name string, ttl time.Duration) (jetstream.ObjectStore, error) {
	if err := b.ensure(ctx, "OBJ_"+name, kept(b.opts.Replicas, ttl), func(ctx context.Context, is jetstream.StreamConfig) error {
		ttl := max(ttl, is.MaxAge)
		_, err := b.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: name, TTL: ttl, Replicas: b.opts.Replicas, Storage: jetstream.FileStorage,
		})
		return err
	}); err != nil {
		return nil, err
	}
	store, err := b.js.ObjectStore(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", name, err)
	}
	return store, nil
}

// where names the servers for logs and errors, without their passwords.
func (o Options) where() string {
	if o.Context != "" {
		return "nats context " + o.Context
	}
	servers := strings.Split(o.URL, ",")
	for i, server := range servers {
		u, err := url.Parse(strings.TrimSpace(server))
		switch {
		case err != nil:
			servers[i] = "(unreadable URL)"
		case u.User != nil:
			u.User = url.User("xxxxx") // a token stands where a name would
			servers[i] = u.String()
		}
	}
	return strings.Join(servers, ",")
}

// EnsurePool creates the consumer of a pool: one for the pool, not one for
// each tool, because ten thousand consumers cost the server 544 MiB.
func (b *Bus) EnsurePool(ctx context.Context, pool string) error {
	_, err := b.js.CreateOrUpdateConsumer(ctx, StreamCalls, jetstream.ConsumerConfig{
		Durable:       pool,
		FilterSubject: b.subj.of("*", "call", pool, ">"),
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       b.opts.AckWait,
		// How often a call was tried is judged by the worker, which then ends
		// it with a result; the server would drop it without one.
		MaxDeliver: -1,
		// Each worker asks for no more than it has slots.
		MaxAckPending: -1,
		MaxWaiting:    4096,
		Replicas:      b.opts.Replicas,
	})
	if err != nil {
		return fmt.Errorf("consumer of pool %s: %w", pool, err)
	}
	return nil
}
