package natsauth

import (
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/timers"
)

// ownStreams lists the streams of Helve; each bucket has a stream too.
var (
	ownStreams = []string{
		streams.Calls, streams.Results, streams.Once, streams.Dead, streams.Audit, streams.Seals,
		streams.Parked, streams.Consent, streams.Decisions, streams.Timers, streams.Schedules,
		streams.Callbacks, streams.Kept, streams.Programs,
	}
	ownBuckets = []string{
		streams.BucketCatalog, streams.BucketAgents, streams.BucketGrants, streams.BucketAsks, streams.BucketKeys, natsio.BucketLeases,
		streams.BucketSealed, streams.BucketCustom, streams.BucketLoads, streams.BucketRates, streams.BucketRemote, streams.BucketUpstream,
		streams.BucketWorkers, streams.BucketAffinity, streams.BucketOrders, streams.BucketServices, streams.BucketConnects,
		streams.BucketSessions, streams.BucketHistory, streams.BucketPush, streams.BucketPrograms,
	}
	ownObjects = []string{streams.ObjectsCalls, streams.ObjectsResults}
)

// everyStream returns the names of all streams of Helve, including those of buckets.
func everyStream() []string {
	return all(
		ownStreams,
		each(ownBuckets, func(bucket string) []string { return []string{bucketStream(bucket)} }),
		each(ownObjects, func(store string) []string { return []string{objectStream(store)} }),
	)
}

// ofDispatcher returns the permissions to accept calls, request consent, seal and
// manage the streams. It includes neither receiving calls from the queue nor requesting
// operations.
func ofDispatcher(prefix string) Permissions {
	names := everyStream()
	return Permissions{
		Publish: all(
			under(prefix, "*",
				"call.*.>", "direct.*.*.>", "once.*.accepted", "once.*.released", "once.*.fence", "result.*.*.*", "event.*.*",
				"cancel.*", "probe.*", "replay.*",
				"verdict.*.*", "key.*.*", "timer.*", "schedule.*.*.*.*", "scheduled.*.*.*", "callback.*.*", "callback.*.*.*.*", "kept.*", "journal.*",
				"data.*", "files.*", "files.*.*", "consent.decision.*", "consent.request.*", "audit.>", "seal.*", "written",
			),
			each([]string{
				streams.BucketAgents, streams.BucketGrants, streams.BucketAsks, streams.BucketKeys, natsio.BucketLeases, streams.BucketSealed,
				streams.BucketRemote, streams.BucketUpstream, streams.BucketCustom, streams.BucketAffinity, streams.BucketOrders,
				streams.BucketServices, streams.BucketConnects, streams.BucketSessions, streams.BucketHistory,
				streams.BucketPush, streams.BucketPrograms,
			}, putKeys),
			putObjects(streams.ObjectsCalls),
			[]string{"$JS.API.STREAM.PURGE." + objectStream(streams.ObjectsCalls)}, // arguments that were stored a second time
			[]string{"$JS.API.STREAM.PURGE." + streams.Results},                    // results that are old and in the trail
			// of a person whose data is deleted
			[]string{"$JS.API.STREAM.PURGE." + objectStream(streams.ObjectsResults), "$JS.API.STREAM.PURGE." + streams.Schedules},
			[]string{"$JS.API.STREAM.PURGE." + streams.Callbacks},    // results that were delivered
			[]string{"$JS.API.STREAM.PURGE." + streams.Programs},     // programs that ended, and those of an erased person
			[]string{"$JS.API.STREAM.PURGE." + streams.Kept},         // calls of an erased person, and the oldest at the bound
			[]string{"$JS.API.STREAM.MSG.DELETE." + streams.Consent}, // decided requests are removed from the inbox
			// calls in lanes without workers
			[]string{"$JS.API.STREAM.MSG.GET." + streams.Calls, "$JS.API.STREAM.MSG.DELETE." + streams.Calls},
			// dead letters that operators requeue or drop
			[]string{"$JS.API.STREAM.MSG.GET." + streams.Dead, "$JS.API.STREAM.MSG.DELETE." + streams.Dead},
			// the stream by which storage is measured
			[]string{"$JS.API.STREAM.LEADER.STEPDOWN." + streams.Dead},
			[]string{"$JS.API.CONSUMER.NAMES." + streams.Calls}, // the consumers of each pool
			[]string{"$JS.API.CONSUMER.LIST." + streams.Calls},  // the backlog of each pool
			[]string{"$SRV.INFO." + peer.ServiceName},           // the versions of all dispatchers
			[]string{"$JS.API.INFO"}, each(names, info), each(names, keep), each(names, last), each(names, consume),
			ack(streams.Parked, "helve_verdicts"), ack(streams.Parked, "helve_refused"), ack(streams.Consent, "helve_asked"),
			ack(streams.Consent, "helve_notices"),
			ack(streams.Timers, "helve_fired"), ack(streams.Schedules, "helve_due"),
			answers(),
			[]string{"_R_.>"}, // requests from a tenant's account are answered there
		),
		Subscribe: all(
			under(prefix, "*", "api.>", "as.*.api.>", "answer.*.*.*", "written", "awaits.*.*", "event.*.*", "probe.*", "replay.*",
				"key.*.*", "lane.*", "find.*.*", "look.>", "relay.>", "arm.*.*.*", "account.*.*",
				"program.*"),
			[]string{"$SRV.>"},
		),
	}
}

// ofWorker returns the permissions to run the calls of its pools. They do not include
// creating or changing streams.
func ofWorker(prefix string, pools []string, affine bool) Permissions {
	return Permissions{
		Publish: all(
			under(prefix, "*",
				"event.*.*", "once.*.fence", "once.*.token", "once.*.asked", "audit.>", "probe.*",
				"parked.*.*", "refused.*", "awaits.*.*", "consent.request.*",
				"remote.>", "key.*.*", "account.*.*", "program.*",
			),
			each(pools, func(pool string) []string {
				return all(
					under(prefix, "*", "dead."+pool, "result."+pool+".*.*", "arm."+pool+".*.*"),
					[]string{"$KV." + streams.BucketWorkers + "." + pool + ".*", "$KV." + streams.BucketAffinity + "." + pool + ".>"},
					under(prefix, "*", "call."+queue.WaitingToken(pool)+".>"),
					each(queue.LaneConsumers(pool), func(lane string) []string { return takeFrom(prefix, lane) }),
					each(homes(pool, affine), func(lane string) []string { return takeFrom(prefix, lane) }),
				)
			}),
			putKeys(streams.BucketCatalog), putKeys(streams.BucketAsks), putKeys(streams.BucketCustom), putKeys(streams.BucketLoads),
			putKeys(streams.BucketRates), putKeys(streams.BucketUpstream), putObjects(streams.ObjectsResults),
			each(everyStream(), info),
			last(streams.Results), last(streams.Once), last(streams.Parked),
			getKeys(streams.BucketCatalog), getKeys(streams.BucketAgents), getKeys(streams.BucketGrants), getKeys(streams.BucketAsks),
			getKeys(streams.BucketCustom), getKeys(streams.BucketRates),
			getKeys(streams.BucketRemote), getKeys(streams.BucketUpstream), getKeys(streams.BucketAffinity), getKeys(streams.BucketWorkers),
			followKeys(streams.BucketCatalog), followKeys(streams.BucketAgents), followKeys(streams.BucketKeys), followKeys(streams.BucketCustom),
			followKeys(streams.BucketRemote), followKeys(streams.BucketUpstream), followKeys(streams.BucketWorkers),
			followKeys(streams.BucketOrders), followKeys(streams.BucketServices),
			getObjects(streams.ObjectsCalls), findObjects(streams.ObjectsResults),
			held(),
		),
		Subscribe: all(under(prefix, "*", "probe.*", "cancel.*", "replay.*", "progress.*.*"), each(pools, func(pool string) []string {
			return all(direct(prefix, pool), scheduled(prefix, pool), data(prefix, pool, affine))
		})),
	}
}

// direct returns the subject on which a worker receives the direct calls of a pool: only in
// the queue group of its workers.
func direct(prefix, pool string) []string {
	return each(under(prefix, "*", "direct."+pool+".>"), func(subject string) []string { return []string{subject + " " + queue.QueueDirect} })
}

// scheduled returns the subject on which a worker is asked for the scheduled tasks of a
// pool: only in the queue group of its workers.
func scheduled(prefix, pool string) []string {
	return each(under(prefix, "*", "scheduled."+pool+".*.*"), func(subject string) []string {
		return []string{subject + " " + timers.Group}
	})
}

// data returns the subjects on which a worker is asked for personal data and for files:
// only in the queue group of its pool's workers, and for files also on the lanes that
// workers of the pool have of their own, if users are bound to workers.
func data(prefix, pool string, affine bool) []string {
	below := []string{"data." + pool, "files." + pool}
	if affine {
		below = append(below, "files."+pool+".*")
	}
	return each(under(prefix, "*", below...), func(subject string) []string { return []string{subject + " " + peer.QueueData} })
}

// homes returns the lanes that workers of a pool have of their own, if users are bound
// to workers.
func homes(pool string, affine bool) []string {
	if !affine {
		return nil
	}
	return queue.HomeConsumers(pool)
}

// takeFrom returns the permissions to run the calls of one lane of a pool, and to move
// calls there for another worker of the pool.
func takeFrom(prefix, lane string) []string {
	return all(
		under(prefix, "*", "call."+lane+".>"), ack(streams.Calls, lane),
		[]string{
			"$JS.API.CONSUMER.CREATE." + streams.Calls + "." + lane + "." + prefix + ".*.call." + lane + ".>",
			"$JS.API.CONSUMER.MSG.NEXT." + streams.Calls + "." + lane,
			"$JS.API.CONSUMER.INFO." + streams.Calls + "." + lane,
			"$JS.API.CONSUMER.PAUSE." + streams.Calls + "." + lane, // a consumer that something else paused is resumed
		},
	)
}

// answers returns the reply subjects of requests between processes.
func answers() []string {
	return []string{inboxOf(Dispatcher) + ".>", inboxOf(Worker) + ".>"}
}
