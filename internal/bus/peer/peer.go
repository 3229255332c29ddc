package peer

import (
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// Peers sends requests to the other processes of a system and serves theirs. Its parts share
// a connection.
type Peers struct {
	// Owners finds the process that has a call.
	Owners *Owners
	// API serves the operations of the API.
	API *API
	// Relay passes messages of workers on to accounts of tenants.
	Relay *Relay
	// Remote sends calls to processes that run tools.
	Remote *Remote
	// Keys requests and serves public keys.
	Keys *Keys
	// Data sends and serves requests about personal data and files.
	Data *Data
	// Accounts sends and serves requests for accounts of people.
	Accounts *Accounts
	// Programs sends and serves the requests of running programs.
	Programs *Programs
}

// Owners finds the processes that have calls: workers that run them and dispatchers that
// wait for them.
type Owners struct{ *core }

// API serves the operations of the API over NATS.
type API struct{ *core }

// Relay passes messages of workers on to accounts of tenants.
type Relay struct{ *core }

// Remote sends calls to processes that run tools themselves.
type Remote struct {
	*core
	progress *progress // of a worker, once ServeProgress was called
}

// Keys requests and serves the public keys of dispatchers.
type Keys struct{ *core }

// core holds the state that the parts share.
type core struct {
	conn    *natsio.Conn
	replies *natsio.ReplyMux // to which both dispatchers and workers may publish
	subj    Subjects
	log     *zap.Logger
}

// New returns the parts on a connection. Replies receives the answers of processes that may
// be dispatchers or workers.
func New(conn *natsio.Conn, replies *natsio.ReplyMux, subj Subjects, log *zap.Logger) *Peers {
	c := &core{conn: conn, replies: replies, subj: subj, log: log}
	return &Peers{
		Owners: &Owners{c}, API: &API{c}, Relay: &Relay{c}, Remote: &Remote{core: c}, Keys: &Keys{c}, Data: &Data{c}, Accounts: &Accounts{c},
		Programs: &Programs{c},
	}
}
