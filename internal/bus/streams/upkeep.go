package streams

import (
	"github.com/helve-dev/helve/internal/bus/natsio"
)

// upkeep describes what is done about a stream that is deleted while processes run.
type upkeep struct {
	// Holds names its contents for an operator.
	holds string
	// Remake means that it is made again, empty: what it held is repeated by its writers,
	// or is a loss that waiting does not make smaller. Else the processes report that it is
	// missing: an empty stream would break a promise, as that of at most one effect, or
	// hide the loss of data that a backup may have.
	remake bool
}

// upkeepOf returns the row of each stream; docs/cluster.md has the same table with the
// reasons.
func upkeepOf() map[string]upkeep {
	rows := map[string]upkeep{
		Calls:     {"calls that wait for a worker", true},
		Results:   {"results, and final records that are not on the trail yet", true},
		Once:      {"the fences that keep an effect from happening twice", false},
		Dead:      {"messages that could not be read", true},
		Audit:     {"the audit trail", false},
		Seals:     {"the seals of the audit trail", false},
		Parked:    {"calls that wait for a person, and the verdicts", false},
		Consent:   {"the inboxes of requests for consent", true},
		Decisions: {"decisions for listeners", true},
		Timers:    {"the times at which consents expire", true},
		Schedules: {"the times at which scheduled tasks are due, which dispatchers set again", true},
		Callbacks: {"callbacks that wait for results or receivers", true},
		Kept:      {"calls whose results have expired", true},
		Programs:  {"what the code of programs has seen", false},
	}
	buckets := map[string]upkeep{
		BucketCatalog:       {"definitions of tools", true},
		BucketAgents:        {"the tool sets of agents", false},
		BucketGrants:        {"grants", false},
		BucketAsks:          {"permissions with an open request", true},
		BucketKeys:          {"public keys of dispatchers", true},
		natsio.BucketLeases: {"leases", true},
		BucketSealed:        {"the place of the last seal and of the trail", true},
		BucketCustom:        {"tools that models wrote", false},
		BucketLoads:         {"load errors of tools directories", true},
		BucketRates:         {"counts of recent calls for rate limits", true},
		BucketOrders:        {"orders to workers, as to take no calls", false},
		BucketServices:      {"entries of services, with encrypted secrets", false},
		BucketRemote:        {"tools of remote processes", true},
		BucketUpstream:      {"accepted definitions of tools of MCP servers and API documents", false},
		BucketWorkers:       {"live workers", true},
		BucketAffinity:      {"workers that users are bound to", true},
		BucketConnects:      {"attempts to connect accounts, and locks", true},
		BucketSessions:      {"sessions of people's browsers", true},
		BucketHistory:       {"what the workers did in the last seven days", true},
		BucketPrograms:      {"programs that run or wait", false},
		BucketPush:          {"devices that are notified, and the key pair for that", true},
	}
	for name, row := range buckets {
		rows[natsio.BucketStream(name)] = row
	}
	rows[natsio.ObjectStream(ObjectsCalls)] = upkeep{"large arguments of calls", true}
	rows[natsio.ObjectStream(ObjectsResults)] = upkeep{"large results", true}
	return rows
}
