package tool

// Cache keeps values that a tool has made from the person's stored data in the memory of
// the worker, for later calls of the same person. A value may be dropped at any time, and
// each worker has its own, so a tool checks against the store that a value is current.
type Cache interface {
	// Load returns the value under a key, after storing what create returns if there is
	// none. Concurrent calls get the same value.
	Load(key string, create func() any) any
	// Size sets the bytes that the value under the key takes, and drops values that were
	// not used for longest to make room. It returns false if the value was dropped itself
	// because it has no room; the caller then works without it.
	Size(key string, value any, bytes int64) bool
}
