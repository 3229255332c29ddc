package natsauth

import (
	"path/filepath"
	"slices"

	"github.com/helve-dev/helve/internal/identity"
)

// Local creates the credentials of a server inside `helve up`: one for its dispatcher,
// one for its workers, and one for clients that can read its data directory. They are
// in Dir, in the layout of [Server.Write]. There is one account: a user who can read
// Dir can do everything.
type Local struct {
	Dir, Prefix string
	// Pools lists the pools of the workers.
	Pools []string
	// Affinity is set if the workers have lanes of their own (worker.affinity).
	Affinity bool
}

// LocalUser is one credential of a [Local].
type LocalUser struct {
	Key string
	May Permissions
}

const localRole Role = "local"

func (l Local) dispatcher() User { return User{Role: Dispatcher, Name: string(Dispatcher)} }

func (l Local) worker() User { return User{Role: Worker, Name: string(Worker), Pools: l.Pools} }

func (l Local) client() User { return User{Role: localRole, Name: string(localRole)} }

// Users returns the credentials. It creates missing keys and reuses existing ones.
func (l Local) Users() ([]LocalUser, error) {
	if err := checkPrefix(l.Prefix); err != nil {
		return nil, err
	}
	mine, run := ofDispatcher(l.Prefix), ofWorker(l.Prefix, l.Pools, l.Affinity)
	mine.Publish = append(mine.Publish, inboxOf(localRole)+".>") // it replies within the same account
	var users []LocalUser
	for _, u := range []struct {
		User

		may Permissions
	}{{l.dispatcher(), mine}, {l.worker(), run}, {l.client(), l.everything()}} {
		key, err := l.keys().public(u.User)
		if err != nil {
			return nil, err
		}
		u.may.Subscribe = append(u.may.Subscribe, u.Inbox()+".>")
		users = append(users, LocalUser{key, u.may})
	}
	return users, nil
}

// everything returns what the front ends of all roles and tenants may do.
func (l Local) everything() (p Permissions) {
	for _, role := range identity.Roles() {
		of := ofFrontEnd(l.Prefix, User{Role: Role(role), Tenant: "*"})
		p.Publish, p.Subscribe, p.Answer = append(p.Publish, of.Publish...), append(p.Subscribe, of.Subscribe...), p.Answer || of.Answer
	}
	for _, list := range []*[]string{&p.Publish, &p.Subscribe} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return p
}

func (l Local) keys() keyDir { return keyDir(filepath.Join(l.Dir, "keys")) }

// Write writes the NATS contexts, now that the server's URL is known.
func (l Local) Write(url string) error {
	dir, err := filepath.Abs(l.Dir)
	if err != nil {
		return err
	}
	l.Dir = dir
	for _, u := range []User{l.dispatcher(), l.worker(), l.client()} {
		if err := u.writeContext(dir, url, l.keys().file(u)); err != nil {
			return err
		}
	}
	return nil
}

// DispatcherContext returns the context file of a dispatcher.
func (l Local) DispatcherContext() string { return l.context(l.dispatcher()) }

// WorkerContext returns the context file of a worker.
func (l Local) WorkerContext() string { return l.context(l.worker()) }

// ClientContext returns the context file of a client on this machine.
func (l Local) ClientContext() string { return l.context(l.client()) }

func (l Local) context(u User) string { return filepath.Join(l.Dir, "contexts", u.Name+".json") }
