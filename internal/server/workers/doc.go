// Package workers follows the live workers for a dispatcher and gives them the orders of
// operators.
//
// It promises that an order is on the trail before it is given, and that a value that somebody
// else stored in place of an order is replaced. It reports workers of a pool that do not fit
// together: other workspaces, or other parameters of a tool under one version. It decides
// nothing about calls.
package workers
