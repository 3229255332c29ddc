// Package catalog holds the live set of callable tools in memory: the definitions of
// all tools, their groups, and which of them an agent may use.
//
// It is pure data. A [Catalog] is filled by the packages that follow tools and groups;
// readers see an immutable snapshot, take no lock and never see half a change. Only
// [Catalog.Allows] decides what an agent may use.
//
// It does not run tools, store anything or depend on the origin of definitions. A tool
// in the catalog need not have a live worker.
package catalog
