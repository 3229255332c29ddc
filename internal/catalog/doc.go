// Package catalog is the live picture of what can be called: the definitions of
// all tools, the groups they form, and which of them an agent may use.
//
// It is pure data. A [Catalog] is filled by whoever learns of tools and groups,
// and read by everybody: readers see an immutable snapshot, take no lock and
// never see half a change. What an agent may use is decided by
// [Catalog.Allows] and nowhere else.
//
// It does not run tools, store anything or know where definitions come from.
// Being in the catalog says nothing about whether a worker is there to answer.
package catalog
