package syscheck

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/protocol"
)

// circuitsShown bounds the findings about servers outside.
const circuitsShown = 20

// circuits names the servers outside that keep failing. Workers announce how many there
// are, and are asked for their names.
func (c *Checker) circuits(ctx context.Context) []protocol.Finding {
	unnamed := map[string]int{} // by worker
	for _, workers := range c.Live() {
		for _, w := range workers {
			if w.OpenCircuits > 0 {
				unnamed[w.ID] = w.OpenCircuits
			}
		}
	}
	at := map[peer.OpenCircuit][]string{}
	if len(unnamed) > 0 {
		for id, open := range c.Queue.Owners.OpenCircuits(ctx, slices.Collect(maps.Keys(unnamed))) {
			for _, o := range open.Named {
				at[o] = append(at[o], id)
			}
			unnamed[id] = open.More // what it announced may be over
		}
	}
	var found []protocol.Finding
	for _, o := range slices.SortedFunc(maps.Keys(at), func(a, b peer.OpenCircuit) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tenant, b.Tenant))
	}) {
		server, tenant := named(o.Server), named(o.Tenant)
		found = append(found,
			on(server+" "+tenant, open("%s keeps failing: requests of tenant %s to it are refused on %s", server, tenant, listed(at[o])))...)
	}
	for _, id := range slices.Sorted(maps.Keys(unnamed)) {
		if n := unnamed[id]; n > 0 {
			found = append(found,
				on(named(id), open("on %s servers outside keep failing, %d of them without a name here; its log names them", named(id), n))...)
		}
	}
	switch more := len(found) - circuitsShown; {
	case found == nil:
		return ok("no server outside keeps failing")
	case more > 0:
		found = append(found[:circuitsShown], open("%d more findings are of this kind", more)...)
	}
	return found
}

// open is a finding about servers outside that fail.
func open(format string, args ...any) []protocol.Finding {
	return about("HelveCircuitOpen",
		warning("repair the server, or the network between; the first request that works ends this", format, args...))
}

// policy names the workers that decide by old rules.
func (c *Checker) policy(context.Context) []protocol.Finding {
	var ids []string
	for _, workers := range c.Live() {
		for _, w := range workers {
			if w.RulesRefused {
				ids = append(ids, w.ID)
			}
		}
	}
	if len(ids) == 0 {
		return ok("no worker has refused changed rules")
	}
	return about("HelvePolicyReloadFailed",
		warning("correct the files of policy.rules (`helve policy check FILE` reports what is wrong); workers read them again within two seconds",
			"changed rules were refused, and the old ones stay in force, on %s", listed(ids)))
}

// listedMost bounds the names of processes in a finding.
const listedMost = 5

// listed returns the first of some names of processes, in order and each once.
func listed(names []string) string {
	slices.Sort(names)
	names = slices.Compact(names)
	var shown []string
	for _, name := range names[:min(len(names), listedMost)] {
		shown = append(shown, named(name))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// named bounds a name that another process has given, and removes what is not visible.
func named(name string) string {
	return fmt.Sprintf("%.100s", strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, name))
}
