package natsauth

import (
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// ownStreams lists the streams of Helve; each bucket has a stream too.
var (
	ownStreams = []string{
		queue.StreamCalls, queue.StreamResults, queue.StreamOnce, queue.StreamDead, queue.StreamAudit, queue.StreamSeals,
		queue.StreamParked, queue.StreamConsent, queue.StreamDecisions, queue.StreamTimers, queue.StreamSchedules,
		queue.StreamCallbacks,
	}
	ownBuckets = []string{
		queue.BucketCatalog, queue.BucketAgents, queue.BucketGrants, queue.BucketAsks, queue.BucketKeys, natsio.BucketLeases, queue.BucketSealed,
		queue.BucketCustom, queue.BucketLoads, queue.BucketRates, queue.BucketRemote, queue.BucketUpstream,
		queue.BucketWorkers, queue.BucketAffinity, queue.BucketOrders, queue.BucketServices, queue.BucketConnects, queue.BucketSessions,
	}
	ownObjects = []string{queue.ObjectsCalls, queue.ObjectsResults}
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
	streams := everyStream()
	return Permissions{
		Publish: all(
			under(prefix, "*",
				"call.*.>", "direct.*.*.>", "once.*.accepted", "once.*.released", "once.*.fence", "result.*.*.*", "event.*.*",
				"cancel.*", "probe.*", "replay.*",
				"verdict.*.*", "key.*.*", "timer.*", "schedule.*.*.*.*", "scheduled.*.*.*", "callback.*.*", "callback.*.*.*.*", "data.*", "files.*",
				"files.*.*", "consent.decision.*", "consent.request.*", "audit.>", "seal.*", "written",
			),
			each([]string{
				queue.BucketAgents, queue.BucketGrants, queue.BucketAsks, queue.BucketKeys, natsio.BucketLeases, queue.BucketSealed, queue.BucketRemote,
				queue.BucketUpstream, queue.BucketCustom, queue.BucketAffinity, queue.BucketOrders, queue.BucketServices, queue.BucketConnects,
				queue.BucketSessions,
			}, putKeys),
			putObjects(queue.ObjectsCalls),
			[]string{"$JS.API.STREAM.PURGE." + objectStream(queue.ObjectsCalls)}, // arguments that were stored a second time
			[]string{"$JS.API.STREAM.PURGE." + queue.StreamResults},              // results that are old and in the trail
			// of a person whose data is deleted
			[]string{"$JS.API.STREAM.PURGE." + objectStream(queue.ObjectsResults), "$JS.API.STREAM.PURGE." + queue.StreamSchedules},
			[]string{"$JS.API.STREAM.PURGE." + queue.StreamCallbacks},    // results that were delivered
			[]string{"$JS.API.STREAM.MSG.DELETE." + queue.StreamConsent}, // decided requests are removed from the inbox
			// calls in lanes without workers
			[]string{"$JS.API.STREAM.MSG.GET." + queue.StreamCalls, "$JS.API.STREAM.MSG.DELETE." + queue.StreamCalls},
			// dead letters that operators requeue or drop
			[]string{"$JS.API.STREAM.MSG.GET." + queue.StreamDead, "$JS.API.STREAM.MSG.DELETE." + queue.StreamDead},
			// the stream by which storage is measured
			[]string{"$JS.API.STREAM.LEADER.STEPDOWN." + queue.StreamDead},
			[]string{"$JS.API.CONSUMER.NAMES." + queue.StreamCalls}, // the consumers of each pool
			[]string{"$JS.API.CONSUMER.LIST." + queue.StreamCalls},  // the backlog of each pool
			[]string{"$SRV.INFO." + peer.ServiceName},               // the versions of all dispatchers
			[]string{"$JS.API.INFO"}, each(streams, info), each(streams, keep), each(streams, last), each(streams, consume),
			ack(queue.StreamParked, "helve_verdicts"), ack(queue.StreamParked, "helve_refused"), ack(queue.StreamConsent, "helve_asked"),
			ack(queue.StreamTimers, "helve_fired"), ack(queue.StreamSchedules, "helve_due"),
			answers(),
			[]string{"_R_.>"}, // requests from a tenant's account are answered there
		),
		Subscribe: all(
			under(prefix, "*", "api.>", "as.*.api.>", "answer.*.*.*", "written", "awaits.*.*", "event.*.*", "probe.*", "replay.*",
				"key.*.*", "lane.*", "find.*.*", "look.>", "relay.>", "arm.*.*.*", "account.*.*"),
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
				"remote.>", "key.*.*", "account.*.*",
			),
			each(pools, func(pool string) []string {
				return all(
					under(prefix, "*", "dead."+pool, "result."+pool+".*.*", "arm."+pool+".*.*"),
					[]string{"$KV." + queue.BucketWorkers + "." + pool + ".*", "$KV." + queue.BucketAffinity + "." + pool + ".>"},
					under(prefix, "*", "call."+queue.WaitingToken(pool)+".>"),
					each(queue.LaneConsumers(pool), func(lane string) []string { return takeFrom(prefix, lane) }),
					each(homes(pool, affine), func(lane string) []string { return takeFrom(prefix, lane) }),
				)
			}),
			putKeys(queue.BucketCatalog), putKeys(queue.BucketAsks), putKeys(queue.BucketCustom), putKeys(queue.BucketLoads),
			putKeys(queue.BucketRates), putKeys(queue.BucketUpstream), putObjects(queue.ObjectsResults),
			each(everyStream(), info),
			last(queue.StreamResults), last(queue.StreamOnce), last(queue.StreamParked),
			getKeys(queue.BucketCatalog), getKeys(queue.BucketAgents), getKeys(queue.BucketGrants), getKeys(queue.BucketAsks),
			getKeys(queue.BucketCustom), getKeys(queue.BucketRates),
			getKeys(queue.BucketRemote), getKeys(queue.BucketUpstream), getKeys(queue.BucketAffinity), getKeys(queue.BucketWorkers),
			followKeys(queue.BucketCatalog), followKeys(queue.BucketAgents), followKeys(queue.BucketKeys), followKeys(queue.BucketCustom),
			followKeys(queue.BucketRemote),
			followKeys(queue.BucketUpstream), followKeys(queue.BucketWorkers), followKeys(queue.BucketOrders), followKeys(queue.BucketServices),
			getObjects(queue.ObjectsCalls), findObjects(queue.ObjectsResults),
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
		return []string{subject + " " + queue.QueueScheduled}
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
		under(prefix, "*", "call."+lane+".>"), ack(queue.StreamCalls, lane),
		[]string{
			"$JS.API.CONSUMER.CREATE." + queue.StreamCalls + "." + lane + "." + prefix + ".*.call." + lane + ".>",
			"$JS.API.CONSUMER.MSG.NEXT." + queue.StreamCalls + "." + lane,
			"$JS.API.CONSUMER.INFO." + queue.StreamCalls + "." + lane,
			"$JS.API.CONSUMER.PAUSE." + queue.StreamCalls + "." + lane, // a consumer that something else paused is resumed
		},
	)
}

// answers returns the reply subjects of requests between processes.
func answers() []string {
	return []string{inboxOf(Dispatcher) + ".>", inboxOf(Worker) + ".>"}
}
