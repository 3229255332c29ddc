package queue

import "strings"

// personMark is part of the name of a person's pool; no pool of a configuration contains
// it.
const personMark = "="

// PersonPool returns the pool of the workers that take only the calls of one person for
// tools of a pool, such as the worker on that person's machine. It is a pool like any
// other: its queue, its results and its permissions are its own.
func PersonPool(pool, tenant, user string) string {
	return pool + personMark + tenant + personMark + user
}

// BasePool returns the pool whose tools the workers of a person's pool have, and any other
// pool unchanged.
func BasePool(pool string) string {
	base, _, _ := strings.Cut(pool, personMark)
	return base
}
