package protocol

import "time"

// PoolList answers pools.list.
type PoolList struct {
	Pools []Pool `json:"pools" doc:"The pools, by name: those with workers, with a queue, or paused."`
}

// Pool is a pool of workers with its queue.
type Pool struct {
	Name          string     `json:"name" doc:"Its name."`
	Backlog       int64      `json:"backlog" doc:"The number of calls that wait in its queue."`
	OldestSeconds float64    `json:"oldest_seconds" doc:"How long the oldest of them has waited; 0 if none waits."`
	Held          int64      `json:"held" doc:"The number of queued calls that its workers have: they run, or wait there for a slot."`
	Workers       int        `json:"workers" doc:"The number of its live workers."`
	PausedWorkers int        `json:"paused_workers,omitzero" doc:"The number of them that take no calls."`
	Slots         int        `json:"slots" doc:"The number of calls they can run concurrently."`
	Busy          int        `json:"busy" doc:"The number of slots with a call, at their last heartbeats."`
	Rate          float64    `json:"rate" doc:"The number of calls they started per second, between their last two heartbeats."`
	Paused        bool       `json:"paused,omitzero" doc:"true if an operator paused the pool."`
	PausedBy      string     `json:"paused_by,omitempty" doc:"The operator who paused it."`
	PausedSince   *time.Time `json:"paused_since,omitzero" doc:"The time it was paused."`
}
