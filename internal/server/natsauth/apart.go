package natsauth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// A worker apart is in an account of its own, to which HELVE exports exactly what the
// worker needs. JetStream replies on any subject that a request names, but across an
// account boundary the reply returns to the account of the requester, from which only
// these exported subjects lead out. So with a stolen credential the server publishes
// nothing that the credential may not publish itself.
//
// Such a worker creates no consumers, because a consumer delivers to any subject:
// dispatchers create the consumers of its lanes, and it reads buckets page by page.

// desktopPool is the pool of tools that use a person's desktop.
const desktopPool = "desktop"

// reach describes whose calls a worker apart runs.
type reach struct {
	pool string
	// tenant and person are "*" for all.
	tenant, person string
	affine         bool
}

// reach returns whose calls a worker apart runs.
func (u User) reach() reach {
	if tenant, person, ok := strings.Cut(u.Desktop, "/"); ok {
		return reach{queue.PersonPool(desktopPool, tenant, person), tenant, person, u.Affinity}
	}
	return reach{u.Pools[0], "*", "*", u.Affinity}
}

// imports returns the services that HELVE exports to a worker apart.
func (r reach) imports(prefix string, tools []string) []string {
	subjects := all(
		under(prefix, r.tenant,
			"relay.event.*.*", "once.*.fence", "once.*.token", "once.*.asked", "relay.audit.>", "parked.*.*", "refused.*", "awaits.*.*",
			"relay.consent.request."+r.person, "dead."+r.pool, "result."+r.pool+".*.*", "find."+r.pool+".*", "look.once.*.*", "look.parked.*.*",
			"look.verdict.*.*", "program.*",
		),
		under(prefix, "_", "key.*.*"),
		[]string{"$KV." + streams.BucketWorkers + "." + r.pool + ".*", "$KV." + streams.BucketAffinity + "." + r.pool + ".>"},
		under(prefix, r.tenant, "call."+queue.WaitingToken(r.pool)+".>"),
		each(queue.LaneConsumers(r.pool), func(lane string) []string { return r.lane(prefix, lane) }),
		each(homes(r.pool, r.affine), func(lane string) []string { return r.lane(prefix, lane) }),
		putObjects(streams.ObjectsResults), findObjects(streams.ObjectsResults),
		each(everyStream(), info),
		each([]string{
			streams.BucketCatalog, streams.BucketAgents, streams.BucketKeys, streams.BucketCustom, streams.BucketRemote, streams.BucketUpstream,
			streams.BucketWorkers, streams.BucketAffinity, streams.BucketOrders,
		}, pages),
		held(),
	)
	if r.person == "*" {
		return all(subjects,
			each([]string{
				streams.BucketCatalog, streams.BucketAsks, streams.BucketCustom, streams.BucketLoads, streams.BucketRates, streams.BucketUpstream,
			}, putKeys),
			each([]string{streams.BucketGrants, streams.BucketAsks, streams.BucketRates}, pages),
			findObjects(streams.ObjectsCalls), []string{"$JS.API.DIRECT.GET." + objectStream(streams.ObjectsCalls)},
		)
	}
	own := func(bucket, keys string) []string {
		key := "$KV." + bucket + "." + keys
		return []string{key, "$JS.API.DIRECT.GET." + bucketStream(bucket) + "." + key}
	}
	return all(subjects,
		own(streams.BucketAsks, r.tenant+"."+r.person+".>"), own(streams.BucketAsks, "seats."+r.tenant+".>"),
		own(streams.BucketAsks, "joined."+r.tenant+".>"),
		own(streams.BucketGrants, r.tenant+"."+r.person+".>")[1:],
		each(tools, func(name string) []string { return []string{"$KV." + streams.BucketCatalog + "." + name} }),
	)
}

// lane returns the services for running the calls of one lane.
func (r reach) lane(prefix, lane string) []string {
	return all(
		under(prefix, r.tenant, "call."+lane+".>"), under(prefix, "_", "lane."+lane), ack(streams.Calls, lane),
		[]string{"$JS.API.CONSUMER.MSG.NEXT." + streams.Calls + "." + lane, "$JS.API.CONSUMER.INFO." + streams.Calls + "." + lane},
	)
}

// pages returns the services for listing and reading all keys of a bucket.
func pages(bucket string) []string {
	stream := "$JS.API.DIRECT.GET." + bucketStream(bucket)
	return []string{stream, stream + ".$KV." + bucket + ".>"}
}

// held returns the replies to probes that dispatchers and workers send to every worker.
func held() []string {
	return []string{inboxOf(Dispatcher) + ".*." + peer.Holders + ".>", inboxOf(Worker) + ".*." + peer.Holders + ".>"}
}

// streams returns the subjects of HELVE to which a worker apart may subscribe.
func (r reach) streams(prefix string) []string { return heard(prefix, r.tenant) }

// heard returns the subjects to which a worker subscribes, of a tenant or of all.
func heard(prefix, tenant string) []string {
	return under(prefix, tenant, "probe.*", "cancel.*", "replay.*", "progress.*.*")
}

// ofApart returns the same as permissions. Requests between workers of the pool stay in
// their account.
func ofApart(prefix string, u User) Permissions {
	r := u.reach()
	return Permissions{
		Publish: all(each(r.imports(prefix, u.Tools), local), under(prefix, r.tenant, "probe.*"),
			[]string{u.Inbox() + "." + peer.Holders + ".>"}),
		Subscribe: heard(prefix, "*"), // the account's imports limit it
	}
}

// apartAccount is the account of a worker apart in the template.
type apartAccount struct {
	Account  string
	Services []service
	Streams  []string
	User     credential
}

// service is a subject of HELVE, and its name in the account of a worker apart.
type service struct{ Subject, To string }

// local returns the name of a subject of HELVE in the account of a worker apart. The
// client library writes some keys below the prefix of JetStream's API. Subjects to
// which tenants subscribe go through a dispatcher, because the server forwards nothing
// to a third account.
func local(subject string) []string {
	if rest, ok := strings.CutPrefix(subject, "$JS.API."); ok {
		return []string{natsio.APIApart + "." + rest}
	}
	if before, after, ok := strings.Cut(subject, ".relay."); ok {
		return []string{before + "." + after}
	}
	if strings.HasPrefix(subject, "$KV.") {
		return []string{subject, natsio.APIApart + "." + subject}
	}
	return []string{subject}
}

// lent is a subject that HELVE exports to several accounts.
type lent struct {
	Subject  string
	Accounts []string
	// Many is set if one request has several replies.
	Many bool
}

// apart returns the accounts of the workers apart, and the exports of HELVE for them.
func (s Server) apart(users []credential) (accounts []apartAccount, services, streams []lent) {
	to := map[string][]string{}
	var order []string
	for _, c := range users {
		r := c.reach()
		a := apartAccount{Account: c.Account(), Streams: r.streams(s.Prefix), User: c}
		for _, subject := range r.imports(s.Prefix, c.Tools) {
			for _, name := range local(subject) {
				a.Services = append(a.Services, service{subject, name})
			}
			if to[subject] == nil {
				order = append(order, subject)
			}
			to[subject] = append(to[subject], a.Account)
		}
		for _, subject := range a.Streams {
			i := slices.IndexFunc(streams, func(l lent) bool { return l.Subject == subject })
			if i < 0 {
				i = len(streams)
				streams = append(streams, lent{Subject: subject})
			}
			streams[i].Accounts = append(streams[i].Accounts, a.Account)
		}
		accounts = append(accounts, a)
	}
	for _, subject := range order {
		many := strings.HasPrefix(subject, "$JS.API.CONSUMER.MSG.NEXT.") || strings.HasPrefix(subject, "$JS.API.DIRECT.GET.")
		services = append(services, lent{subject, to[subject], many})
	}
	return accounts, services, streams
}

// apartUsers returns the credentials of workers apart, those of persons' desktops
// included.
func (s Server) apartUsers() []User {
	var users []User
	for _, entry := range s.Desktops {
		users = append(users, DesktopWorker(entry, s.DesktopTools))
	}
	return users
}

// DesktopWorker returns the credential of the worker on the desktop of one person,
// given as TENANT/USER. tools lists those that it may register.
func DesktopWorker(person string, tools []string) User {
	return User{
		Role: Worker, Name: desktopPool + "-" + strings.ReplaceAll(person, "/", "-"), Desktop: person, Pools: []string{desktopPool}, Apart: true,
		Tools: tools,
	}
}

// checkApart returns the first problem of the workers apart.
func (s Server) checkApart() error {
	names := map[string]string{}
	for _, pool := range s.Apart {
		if !slices.Contains(s.pools(), pool) {
			return fmt.Errorf("pool %.80q has no workers; name it among the pools too", pool)
		}
	}
	for _, u := range s.Users() {
		if u.Role != Worker {
			continue
		}
		if other, ok := names[u.Name]; ok {
			return fmt.Errorf("the credentials of %s and %s would share the name %s", other, u.Desktop, u.Name)
		}
		names[u.Name] = u.Desktop
	}
	for _, entry := range s.Desktops {
		if tenant, _, ok := strings.Cut(entry, "/"); !ok || !slices.Contains(s.Tenants, tenant) {
			return fmt.Errorf("desktop %.80q must be TENANT/USER of a tenant of the server", entry)
		}
	}
	return nil
}
