package natsauth

import "github.com/helve-dev/helve/internal/bus"

// ownStreams are the streams of the bus; what lies in a bucket has a stream too.
var (
	ownStreams = []string{
		bus.StreamCalls, bus.StreamResults, bus.StreamOnce, bus.StreamDead, bus.StreamAudit, bus.StreamSeals,
		bus.StreamParked, bus.StreamConsent, bus.StreamDecisions, bus.StreamTimers,
	}
	ownBuckets = []string{
		bus.BucketCatalog, bus.BucketAgents, bus.BucketGrants, bus.BucketAsks, bus.BucketKeys, bus.BucketLeases, bus.BucketSealed,
		bus.BucketCustom, bus.BucketLoads, bus.BucketRates, bus.BucketDocuments, bus.BucketRemote, bus.BucketUpstream,
	}
	ownObjects = []string{bus.ObjectsCalls, bus.ObjectsResults}
)

// everyStream is the streams behind all that the bus keeps.
func everyStream() []string {
	return all(
		ownStreams,
		each(ownBuckets, func(bucket string) []string { return []string{bucketStream(bucket)} }),
		each(ownObjects, func(store string) []string { return []string{objectStream(store)} }),
	)
}

// ofDispatcher is what it takes to accept calls, ask people, seal and keep
// the streams. It takes no calls off the queue and asks for no operation.
func ofDispatcher(prefix string) Permissions {
	streams := everyStream()
	return Permissions{
		Publish: all(
			under(prefix, "*",
				"call.*.>", "once.*.accepted", "once.*.fence", "result.*.*", "event.*.*",
				"cancel.*", "probe.*", "replay.*",
				"verdict.*", "timer.*", "consent.decision.*", "audit.>", "seal.*",
			),
			each([]string{bus.BucketAgents, bus.BucketGrants, bus.BucketAsks, bus.BucketKeys, bus.BucketLeases, bus.BucketSealed, bus.BucketRemote, bus.BucketUpstream}, putKeys),
			putObjects(bus.ObjectsCalls),
			[]string{"$JS.API.STREAM.PURGE." + objectStream(bus.ObjectsCalls)}, // arguments that were stored again
			[]string{"$JS.API.STREAM.MSG.DELETE." + bus.StreamConsent},         // what was decided leaves the inbox
			[]string{"$JS.API.INFO"}, each(streams, info), each(streams, keep), each(streams, last), each(streams, consume),
			ack(bus.StreamParked, "helve_verdicts"), ack(bus.StreamParked, "helve_refused"), ack(bus.StreamConsent, "helve_asked"), ack(bus.StreamTimers, "helve_fired"),
			answers(),
			[]string{"_R_.>"}, // what comes from a tenant's account is answered there
		),
		Subscribe: all(
			under(prefix, "*", "api.>", "result.*.*", "awaits.*.*", "event.*.*", "probe.*", "replay.*"),
			[]string{"$SRV.>"},
		),
	}
}

// ofWorker is what it takes to run the calls of its pools. It makes and
// changes no stream.
func ofWorker(prefix string, pools []string) Permissions {
	return Permissions{
		Publish: all(
			under(prefix, "*",
				"result.*.*", "event.*.*", "once.*.fence", "once.*.token", "once.*.asked", "audit.>", "probe.*",
				"parked.*.*", "refused.*", "awaits.*.*", "consent.request.*",
				"remote.>",
			),
			each(pools, func(pool string) []string {
				return all(
					under(prefix, "*", "dead."+pool), ack(bus.StreamCalls, pool),
					[]string{
						"$JS.API.CONSUMER.CREATE." + bus.StreamCalls + "." + pool + "." + prefix + ".*.call." + pool + ".>",
						"$JS.API.CONSUMER.MSG.NEXT." + bus.StreamCalls + "." + pool,
					},
				)
			}),
			putKeys(bus.BucketCatalog), putKeys(bus.BucketAsks), putKeys(bus.BucketCustom), putKeys(bus.BucketLoads), putKeys(bus.BucketRates), putKeys(bus.BucketDocuments), putKeys(bus.BucketUpstream), putObjects(bus.ObjectsResults),
			each(everyStream(), info),
			last(bus.StreamResults), last(bus.StreamOnce), last(bus.StreamParked),
			getKeys(bus.BucketGrants), getKeys(bus.BucketAsks), getKeys(bus.BucketCustom), getKeys(bus.BucketRates), getKeys(bus.BucketDocuments), getKeys(bus.BucketRemote), getKeys(bus.BucketUpstream),
			followKeys(bus.BucketCatalog), followKeys(bus.BucketAgents), followKeys(bus.BucketKeys), followKeys(bus.BucketCustom), followKeys(bus.BucketDocuments), followKeys(bus.BucketRemote), followKeys(bus.BucketUpstream),
			getObjects(bus.ObjectsCalls), findObjects(bus.ObjectsResults),
			answers(),
		),
		Subscribe: under(prefix, "*", "probe.*", "cancel.*", "replay.*", "progress.*.*"),
	}
}

// answers are the replies to what processes ask each other.
func answers() []string {
	return []string{inboxOf(Dispatcher) + ".>", inboxOf(Worker) + ".>"}
}
