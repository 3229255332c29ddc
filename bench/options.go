package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The ways in which a call is measured.
const (
	// Bare is a NATS request to a process that echoes it.
	Bare = "bare"
	// Engine is the worker's pipeline alone, in this process.
	Engine = "engine"
	// NATS is a call through dispatcher, stream and worker, requested over NATS.
	NATS = "nats"
	// HTTP is the same, requested over HTTP.
	HTTP = "http"
	// Floor is only the messages of such a call.
	Floor = "floor"
	// BareMCP is a tool of the MCP SDK's own server, which runs it in its process.
	BareMCP = "mcp-bare"
	// MCP is a call through dispatcher, stream and worker, made by an MCP client.
	MCP = "mcp"
)

// ways lists all of them; those for comparison are measured only if they are named.
var (
	ways     = []string{Bare, Engine, Floor, NATS, HTTP, BareMCP, MCP}
	whenOnly = []string{Floor, BareMCP, MCP}
)

// Options selects what is measured.
type Options struct {
	// Node is the command line that runs [Node]; a role and its arguments are appended
	// to it.
	Node []string
	// Up is the command line of `helve up`, for the scenario "start", which omits it if
	// this is empty.
	Up []string
	// Child is the command line of a sandbox's child, for the scenario "js".
	Child []string
	// Time is the measuring time of each way with each number of callers in each round,
	// preceded by a warm-up of a quarter of it, at most a second. It is also the
	// measuring time of each operation in the scenarios gate, consent and audit.
	Time   time.Duration
	Rounds int
	// Callers lists the numbers of concurrent callers.
	Callers []int
	// Only lists the ways to measure; all but Floor, BareMCP and MCP if empty.
	Only []string
	// Calls replaces the number of calls of a scenario if above 0.
	Calls int
	// Store is the PostgreSQL URL of the scenarios "data" and "rows"; SQLite if empty.
	Store string
	// Results limits the results that the broker keeps, if above 0.
	Results int
	// Parked is the number of calls that the scenario "consent" parks, 10,000 if 0.
	Parked int
	// Consoles is the number of consoles that the scenario "console" opens, 2,000 if 0.
	Consoles int
	// Nodes is the number of NATS servers of the scenario "rolling": 1, or 3 for a cluster
	// that keeps three copies of each stream; 1 if 0.
	Nodes int
	// Rate is the load of the scenario "rolling" in calls a second; 2,000 if 0, or less if
	// the machine cannot.
	Rate float64
	// Profiles is a directory for CPU profiles of every process; none if empty.
	Profiles string
	// Log receives the progress; it may be nil.
	Log io.Writer

	// started is called with every started process.
	started func(pid int)
}

// Check returns the first problem of the options.
func (o Options) Check() error {
	if o.Time <= 0 || o.Time > time.Hour {
		return fmt.Errorf("each measurement must take more than 0 and at most 3600 seconds, not %v", o.Time.Seconds())
	}
	if o.Rounds < 1 || o.Rounds > maxRounds {
		return fmt.Errorf("rounds must be 1 to %d, not %d", maxRounds, o.Rounds)
	}
	if len(o.Callers) == 0 {
		return fmt.Errorf("name at least one number of callers")
	}
	for i, n := range o.Callers {
		if n < 1 || n > maxCallers || slices.Contains(o.Callers[:i], n) {
			return fmt.Errorf("callers must be different numbers from 1 to %d, not %v", maxCallers, o.Callers)
		}
	}
	for _, way := range o.Only {
		if !slices.Contains(ways, way) {
			return fmt.Errorf("there is no way %q to measure; use %s", way, strings.Join(ways, ", "))
		}
	}
	if o.Results < 0 {
		return fmt.Errorf("the number of results is %d; want above 0", o.Results)
	}
	if o.Calls < 0 {
		return fmt.Errorf("the number of calls must not be below 0")
	}
	if o.Nodes != 0 && o.Nodes != 1 && o.Nodes != 3 {
		return fmt.Errorf("nodes must be 1 or 3, not %d", o.Nodes)
	}
	if o.Rate < 0 {
		return fmt.Errorf("the rate must not be below 0")
	}
	if o.Parked < 0 || o.Parked > maxParked {
		return fmt.Errorf("parked calls must be 1 to %d, or 0 for the usual number", maxParked)
	}
	if o.Consoles < 0 || o.Consoles > maxConsoles {
		return fmt.Errorf("consoles must be 1 to %d, or 0 for the usual number", maxConsoles)
	}
	return nil
}

const (
	maxRounds  = 100
	maxCallers = 10_000
	maxParked  = 1_000_000
	// Each console has two connections, for which a process has 20,000 ports of one address.
	maxConsoles = 5000
)

func (o Options) wants(way string) bool {
	return slices.Contains(o.Only, way) || len(o.Only) == 0 && !slices.Contains(whenOnly, way)
}

// wires reports whether one of the ways is measured.
func (o Options) wires(ways ...string) bool { return slices.ContainsFunc(ways, o.wants) }

func (o Options) sayf(format string, args ...any) {
	if o.Log != nil {
		fmt.Fprintf(o.Log, format+"\n", args...)
	}
}
