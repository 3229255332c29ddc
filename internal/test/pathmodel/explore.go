package pathmodel

import (
	"fmt"
	"slices"
	"strings"
)

// graph holds every reachable state, with the steps between them.
type graph struct {
	design design
	index  map[state]int32
	states []state
	from   []int32 // the state from which each state was first reached
	by     []string
	edges  [][2]int32 // steps that are not faults
	asks   [][2]int32 // requests
	names  map[string]bool
}

// violation is a violated promise with the shortest path to it.
type violation struct {
	promise string
	way     []string
}

func (v *violation) Error() string {
	return v.promise + ", after:\n\t" + strings.Join(v.way, "\n\t")
}

// explore visits every reachable state, nearest first, at most limit of them, and stops
// at the first that violates a promise.
func explore(d design, limit int) (*graph, *violation, error) {
	g := &graph{design: d, index: map[state]int32{}, names: map[string]bool{}}
	g.visit(canonical(state{}, d), -1, "")
	var next []step
	for at := int32(0); int(at) < len(g.states); at++ {
		if len(g.states) > limit {
			return g, nil, fmt.Errorf("there are more than %d states", limit)
		}
		if promise := d.broken(g.states[at]); promise != "" {
			return g, &violation{promise, g.way(at)}, nil
		}
		next = d.next(g.states[at], next)
		for _, st := range next {
			g.names[st.name] = true
			to := g.visit(st.to, at, st.name)
			switch {
			case to == at:
			case st.class == work:
				g.edges = append(g.edges, [2]int32{at, to})
			case st.class == caller:
				g.asks = append(g.asks, [2]int32{at, to})
			}
		}
	}
	return g, nil, nil
}

func (g *graph) visit(s state, from int32, by string) int32 {
	if at, ok := g.index[s]; ok {
		return at
	}
	at := int32(len(g.states))
	g.index[s] = at
	g.states, g.from, g.by = append(g.states, s), append(g.from, from), append(g.by, by)
	return at
}

// way returns the steps to a state.
func (g *graph) way(at int32) []string {
	var way []string
	for ; g.from[at] >= 0; at = g.from[at] {
		way = append([]string{g.by[at]}, way...)
	}
	return way
}

// never returns a state in which due holds, and from which no state in which done holds
// can be reached without a fault, or nil. If asking is set, the caller may repeat its
// request.
func (g *graph) never(due, done func(*state) bool, asking bool) *violation {
	before := make([][]int32, len(g.states))
	edges := g.edges
	if asking {
		edges = append(slices.Clip(edges), g.asks...)
	}
	for _, e := range edges {
		before[e[1]] = append(before[e[1]], e[0])
	}
	reaches := make([]bool, len(g.states))
	var open []int32
	for at := range g.states {
		if done(&g.states[at]) {
			reaches[at] = true
			open = append(open, int32(at))
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, b := range before[at] {
			if !reaches[b] {
				reaches[b] = true
				open = append(open, b)
			}
		}
	}
	for at := range g.states {
		if due(&g.states[at]) && !reaches[at] {
			return &violation{"nothing that may happen brings about what is due", g.way(int32(at))}
		}
	}
	return nil
}
