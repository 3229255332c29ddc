package telemetry

import "database/sql"

// Database reports the connections of a database at each scrape, until the returned
// function is called. Stats returns the state of each of its pools.
func (m *Metrics) Database(name string, stats func() []sql.DBStats) (stop func()) {
	return m.Read(func(set Set) {
		for _, s := range stats() {
			set(DatabaseConnections, float64(s.InUse), name, "in_use")
			set(DatabaseConnections, float64(s.Idle), name, "idle")
			set(DatabaseLimit, float64(s.MaxOpenConnections), name)
			set(DatabaseWaits, float64(s.WaitCount), name)
			set(DatabaseWaitSeconds, s.WaitDuration.Seconds(), name)
		}
	})
}
