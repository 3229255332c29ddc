package streams

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// Names of the streams, buckets and object stores in JetStream.
const (
	Calls   = "HELVE_CALLS"
	Results = "HELVE_RESULTS"
	Once    = "HELVE_ONCE"
	Dead    = "HELVE_DEAD"
	// Audit holds the audit records and Seals the signed chain over them, whose
	// owner is the first writer of a seal.
	Audit = "HELVE_AUDIT"
	Seals = "HELVE_SEALS"
	// Parked holds calls that wait for a person, and the single verdict of each;
	// Consent is the inbox, with a bound for each user; Decisions publishes the
	// verdicts; Timers fires when no verdict came in time, and only dispatchers may
	// publish to it.
	Parked    = "HELVE_PARKED"
	Consent   = "HELVE_CONSENT"
	Decisions = "HELVE_DECISIONS"
	Timers    = "HELVE_TIMERS"
	// Schedules holds the timers of scheduled tasks and, once they fired, what is to
	// be looked at; only dispatchers may publish to it.
	Schedules = "HELVE_SCHEDULES"
	// Callbacks holds which results are to be sent to callbacks, and those results
	// until they are delivered.
	Callbacks = "HELVE_CALLBACKS"
	// Kept holds calls with arguments and results, for longer than their results are stored.
	// Each message has a time to live; dispatchers bound its bytes (package kept).
	Kept = "HELVE_KEPT"
	// Programs holds the journals of programs: what the code of each has seen.
	Programs      = "HELVE_PROGRAMS"
	BucketCatalog = "helve_catalog"
	BucketAgents  = "helve_agents"
	// BucketGrants holds lasting verdicts, BucketAsks the permissions with an open request,
	// BucketKeys the public keys of dispatchers, and BucketSealed the last seal of each
	// tenant.
	BucketGrants = "helve_grants"
	BucketAsks   = "helve_asks"
	BucketKeys   = "helve_keys"
	BucketSealed = "helve_sealed"
	// BucketCustom holds the tools that models wrote, BucketLoads the load errors of
	// workers' tools directories.
	BucketCustom = "helve_custom"
	BucketLoads  = "helve_loads"
	// BucketRates holds the counts of recent calls, for rate limits.
	BucketRates = "helve_rates"
	// BucketRemote holds the definitions of tools in remote processes, and the list of
	// those processes, which expires without heartbeats.
	BucketRemote = "helve_remote"
	// BucketWorkers holds which workers take calls of which pool, each entry with a time to
	// live of its own.
	BucketWorkers = "helve_workers"
	// BucketAffinity holds which worker a person's calls go to, and which lanes the workers
	// have, each key with a time to live of its own.
	BucketAffinity = "helve_affinity"
	// BucketOrders holds operators' orders to workers, signed by a dispatcher.
	BucketOrders = "helve_orders"
	// BucketUpstream holds which definitions of tools of MCP servers and API documents may
	// be offered.
	BucketUpstream = "helve_upstream"
	// BucketServices holds the entries of services, with their secrets encrypted.
	BucketServices = "helve_services"
	// BucketConnects holds attempts of people to connect accounts and the locks of accounts
	// whose tokens are replaced, each key with a time to live of its own.
	BucketConnects = "helve_connects"
	// BucketSessions holds the sessions of people's browsers, each key with a time to live
	// of its own.
	BucketSessions = "helve_sessions"
	// BucketHistory holds what the workers did in each minute of seven days.
	BucketHistory = "helve_history"
	// BucketPush holds the devices to which people's requests are sent, and the key pair that
	// signs these.
	BucketPush = "helve_push"
	// BucketPrograms holds the programs, each with its state.
	BucketPrograms = "helve_programs"
	// ObjectsCalls and ObjectsResults hold payloads that are too large for a message.
	ObjectsCalls   = "HELVE_CALLS"
	ObjectsResults = "HELVE_RESULTS"
)

// ratesMaxAge is the longest window of a rate limit: older calls are not counted.
const ratesMaxAge = 24 * time.Hour

// customVersions is the number of versions that are kept of a tool that a model wrote.
const customVersions = 10

// loadsMaxAge is the time after which load errors expire unless their worker repeats them.
const loadsMaxAge = 10 * time.Minute

// historyMaxAge is the time for which minutes are kept: seven days, and the first step of them.
const historyMaxAge = 7*24*time.Hour + 30*time.Minute

// deadMaxAge is the time for which unreadable messages are kept for an operator.
const deadMaxAge = 7 * 24 * time.Hour

// onceMargin is the time for which once-only records outlast the calls they protect: a
// record that expired first would let a call run twice.
const onceMargin = time.Hour

// resultsCeiling is the additional time for which results are kept whose records could not
// be written to the trail.
const resultsCeiling = 24 * time.Hour

func (b *Store) configs() []jetstream.StreamConfig {
	p, o := b.tree.Prefix(), b.opts
	once := func(name string, age time.Duration, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: subjects, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: age, MaxBytes: maxBytes(0),
			// One message for each subject, and the first one stays: the once-only write.
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			AllowDirect: o.Replicas == 1, DenyDelete: true, DenyPurge: true, Duplicates: o.DuplicateWindow,
		}
	}
	// Results are purged once their records are on the trail; their age bounds only the
	// others.
	results := once(Results, o.ResultsMaxAge+resultsCeiling, p+".*.result.*.*.*")
	// A dispatcher answers only with stored results.
	results.DenyPurge = false
	results.RePublish = &jetstream.RePublish{Source: p + ".*.result.>", Destination: p + ".{{wildcard(1)}}.answer.>"}
	return []jetstream.StreamConfig{
		{
			Name: Calls, Subjects: []string{p + ".*.call.>"}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.CallsMaxAge, MaxBytes: maxBytes(o.CallsMaxBytes),
			Discard: jetstream.DiscardNew, Duplicates: o.DuplicateWindow,
		},
		results,
		once(Once, o.onceKeep(), p+".*.once.*.*"),
		{
			Name: Dead, Subjects: []string{p + ".*.dead.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: deadMaxAge, MaxBytes: maxBytes(0),
			Duplicates: o.DuplicateWindow,
		},
		{
			// Writes to a full stream are refused: a record is never displaced by another.
			Name: Audit, Subjects: []string{p + ".*.audit.>"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.AuditMaxAge, MaxBytes: maxBytes(o.AuditMaxBytes),
			Discard: jetstream.DiscardNew, AllowDirect: o.Replicas == 1, DenyDelete: true, DenyPurge: true,
			Duplicates: o.DuplicateWindow,
		},
		once(Seals, o.AuditMaxAge, p+".*.seal.*"),
		once(Parked, o.stepKeep(), p+".*.parked.*.*", p+".*.refused.*", p+".*.verdict.*.*"),
		{
			// The server itself counts the waiting requests of a user, so that the number
			// of workers does not matter.
			Name: Consent, Subjects: []string{p + ".*.consent.request.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.stepKeep(),
			MaxMsgsPerSubject: o.ConsentsPerUser, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			AllowDirect: o.Replicas == 1, DenyPurge: true, Duplicates: o.DuplicateWindow,
		},
		{
			Name: Decisions, Subjects: []string{p + ".*.consent.decision.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.stepKeep(), DenyDelete: true, DenyPurge: true,
			Duplicates: o.DuplicateWindow,
		},
		{
			Name: Timers, Subjects: []string{p + ".*.timer.*", p + ".*.fired.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.stepKeep(), MaxMsgsPerSubject: 1,
			AllowMsgSchedules: true, AllowRollup: true, AllowMsgTTL: true, Duplicates: o.DuplicateWindow, // the server sets both with schedules
		},
		{
			// Nothing expires: a task is looked at after an outage of any length. Timers of
			// one task that fired and wait are one. There is no bound of bytes, because the
			// server would drop the oldest timers: with schedules it cannot refuse new ones.
			Name: Schedules, Subjects: []string{p + ".*.schedule.*.*.*.*", p + ".*.due.*.*.*"}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxMsgsPerSubject: 1,
			AllowMsgSchedules: true, AllowRollup: true, AllowMsgTTL: true, Duplicates: o.DuplicateWindow, // the server sets both with schedules
		},
		{
			// A message about a callback replaces the one before. Writes name the revision
			// that they replace.
			Name: Callbacks, Subjects: []string{p + ".*.callback.*.*", p + ".*.callback.*.*.*.*"}, Retention: jetstream.LimitsPolicy,
			Storage: jetstream.FileStorage, Replicas: o.Replicas, MaxAge: o.CallbackKeep(), MaxBytes: maxBytes(0), MaxMsgsPerSubject: 1,
			Discard: jetstream.DiscardNew, AllowDirect: o.Replicas == 1, DenyDelete: true, Duplicates: o.DuplicateWindow,
		},
		b.kept(),
		b.journals(),
	}
}

// journals returns the stream of the journals of programs. Their entries are appended one after
// the other: each write names the entry before it.
func (b *Store) journals() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: Programs, Subjects: []string{b.tree.Prefix() + ".*.journal.*"}, Retention: jetstream.LimitsPolicy,
		Storage: jetstream.FileStorage, Replicas: b.opts.Replicas, MaxAge: ProgramKeep, MaxBytes: maxBytes(0), Discard: jetstream.DiscardNew,
		AllowDirect: b.opts.Replicas == 1, DenyDelete: true, Duplicates: b.opts.DuplicateWindow,
	}
}

// ProgramKeep is the time for which a journal is kept: that of the longest program, and ProgramShown.
const ProgramKeep = 30*24*time.Hour + ProgramShown

// ProgramShown is the time for which a program is shown after its end.
const ProgramShown = 7 * 24 * time.Hour

// kept returns the stream of calls that outlive their results, each message with a time of its own.
func (b *Store) kept() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: Kept, Subjects: []string{b.tree.Prefix() + ".*.kept.*"}, Retention: jetstream.LimitsPolicy,
		Storage: jetstream.FileStorage, Replicas: b.opts.Replicas, MaxBytes: maxBytes(0), AllowMsgTTL: true,
		AllowDirect: b.opts.Replicas == 1, DenyDelete: true, Duplicates: b.opts.DuplicateWindow,
	}
}

// CallbackRetry is the time for which a result is sent again to a callback that does not
// take it.
const CallbackRetry = 24 * time.Hour

// onceKeep returns how long once-only records are kept, and so how long a call_id is known. The
// acceptance of a step that a person has to decide about is among them: if it expired first, the
// program would make that step again.
func (o Options) onceKeep() time.Duration { return max(o.CallsMaxAge, o.StepTTL) + o.consentKeep() }

// CallKnown returns the time from its acceptance for which a call_id is certainly known.
func (o Options) CallKnown() time.Duration { return o.onceKeep() }

// CallbackKeep returns how long a callback is kept from its last change. That a result was
// delivered is known as long as the call_id is.
func (o Options) CallbackKeep() time.Duration { return o.onceKeep() + CallbackRetry }

// consentKeep returns how long all data of a consent is kept, stepKeep that of a consent that a
// step of a program awaits, which may wait longer. A call that is granted late has its fence from
// then on.
func (o Options) consentKeep() time.Duration { return o.ConsentTTL + o.ResultsMaxAge + onceMargin }
func (o Options) stepKeep() time.Duration {
	return max(o.ConsentTTL, o.StepTTL) + o.ResultsMaxAge + onceMargin
}

func maxBytes(n int64) int64 {
	if n <= 0 {
		return -1
	}
	return n
}

// topology returns all streams, those of buckets and object stores among them.
func (b *Store) topology() (all []natsio.Stream) {
	for _, cfg := range b.configs() {
		all = append(all, b.stream(cfg))
	}
	for _, spec := range b.buckets() {
		all = append(all, spec.Stream(b.opts.Replicas))
	}
	return append(all,
		natsio.ObjectsStream(ObjectsCalls, b.opts.CallsMaxAge+b.opts.stepKeep(), b.opts.Replicas),
		natsio.ObjectsStream(ObjectsResults, b.opts.ResultsMaxAge, b.opts.Replicas),
	)
}

func (b *Store) buckets() (all []natsio.BucketSpec) {
	for _, bucket := range []string{
		BucketCatalog, BucketAgents, BucketGrants, BucketAsks, BucketKeys, natsio.BucketLeases, BucketSealed, BucketCustom, BucketLoads,
		BucketRates, BucketRemote, BucketUpstream, BucketWorkers, BucketAffinity, BucketOrders, BucketServices, BucketConnects, BucketSessions,
		BucketHistory, BucketPush, BucketPrograms,
	} {
		spec := natsio.BucketSpec{Name: bucket}
		switch bucket {
		case BucketRemote, BucketWorkers, BucketAffinity, BucketConnects, BucketSessions, BucketPrograms:
			spec.KeyTTL = true
		case BucketCustom:
			spec.History = customVersions
		case BucketAsks:
			spec.TTL = b.opts.stepKeep()
		case BucketLoads:
			spec.TTL = loadsMaxAge
		case BucketRates:
			spec.TTL = ratesMaxAge
		case BucketHistory:
			spec.TTL = historyMaxAge
		}
		all = append(all, spec)
	}
	return all
}

// stream returns the description that [natsio.Topology] needs to make one of the streams.
func (b *Store) stream(cfg jetstream.StreamConfig) natsio.Stream {
	return natsio.Stream{
		StreamConfig: cfg,
		Adapt:        func(is jetstream.StreamConfig) jetstream.StreamConfig { return b.adapted(cfg, is) },
	}
}

// adapted returns cfg with the settings that an existing stream must keep.
func (b *Store) adapted(cfg, is jetstream.StreamConfig) jetstream.StreamConfig {
	cfg = b.bounded(cfg, is)
	if outlives[cfg.Name] {
		cfg.MaxAge = max(cfg.MaxAge, is.MaxAge)
	}
	return cfg
}

// outlives are the streams that parked calls and callbacks need: a process with shorter
// times in its settings must not shorten theirs.
var outlives = map[string]bool{
	Once: true, Parked: true, Consent: true, Decisions: true, Timers: true, Callbacks: true,
}
