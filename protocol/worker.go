package protocol

import "time"

// WorkerList answers workers.list.
type WorkerList struct {
	Workers []Worker     `json:"workers" doc:"The workers, by id."`
	Kinds   []WorkerKind `json:"kinds" doc:"The distinct lists of tools that they have."`
}

// Worker is a live worker.
type Worker struct {
	ID        string            `json:"id" doc:"Its name in results and logs."`
	Version   string            `json:"version" doc:"The version of its build."`
	Since     time.Time         `json:"since" doc:"The time it started, by its own clock."`
	Pools     []string          `json:"pools" doc:"The pools whose calls it runs."`
	Slots     int               `json:"slots" doc:"The number of calls of each pool that it runs concurrently."`
	Busy      int               `json:"busy" doc:"The number of calls it ran at its last heartbeat, which it sends every 2 s."`
	Rate      float64           `json:"rate" doc:"The number of calls it started per second, between its last two heartbeats."`
	State     string            `json:"state" enum:"running,paused" doc:"paused if it takes no calls of any of its pools."`
	Paused    []string          `json:"paused,omitempty" doc:"The pools of which it takes no calls, because it or the pool is paused."`
	Tools     int               `json:"tools" doc:"The number of its tools."`
	Kinds     map[string]string `json:"kinds" doc:"The hash of its list of tools, by pool."`
	Workspace string            `json:"workspace" doc:"The identity of its workspaces directory."`
}

// The states of a worker.
const (
	WorkerRunning = "running"
	WorkerPaused  = "paused"
)

// WorkersOrdered answers the operations that pause, resume and drain workers.
type WorkersOrdered struct {
	Action  string   `json:"action" enum:"pause,resume,drain" doc:"What the workers do."`
	Pool    string   `json:"pool,omitempty" doc:"The pool, if the order is about one."`
	Workers []string `json:"workers" doc:"The live workers that it is about, by id."`
	Message string   `json:"message,omitempty" doc:"What the operator should know besides."`
}

// WorkerKind is a list of tools that some workers of a pool have.
type WorkerKind struct {
	Pool    string       `json:"pool" doc:"The pool."`
	Kind    string       `json:"kind" doc:"The hash of the list."`
	Workers int          `json:"workers" doc:"The number of live workers that have it."`
	Tools   []WorkerTool `json:"tools" doc:"The tools, by name."`
}

// WorkerTool is a tool as the workers of one kind have it.
type WorkerTool struct {
	Name    string `json:"name" doc:"The tool."`
	Version string `json:"version" doc:"Its version."`
	Hash    string `json:"hash" doc:"The hash of its definition."`
}
