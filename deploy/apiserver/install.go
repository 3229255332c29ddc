package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const manager = "helve-apply"

// define applies the definitions in a directory and waits until their kinds are served.
func (c *cluster) define(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var o unstructured.Unstructured
		if err := yaml.Unmarshal(text, &o.Object); err != nil {
			return err
		}
		if err := c.apply(ctx, &o, nil); err != nil {
			return err
		}
		if err := c.established(ctx, &o); err != nil {
			return err
		}
		fmt.Println("defined", o.GetName())
	}
	c.kinds.Reset()
	return nil
}

func (c *cluster) established(ctx context.Context, crd *unstructured.Unstructured) error {
	of, err := c.resource(crd)
	if err != nil {
		return err
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := of.Get(ctx, crd.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
		for _, v := range conditions {
			if v, _ := v.(map[string]any); v["type"] == "Established" && v["status"] == "True" {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s is not served: %w", crd.GetName(), ctx.Err())
		}
	}
}

// install applies a directory: as a dry run, for real, and its pods as a dry run.
func (c *cluster) install(ctx context.Context, dir string) error {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return err
	}
	var all []*unstructured.Unstructured
	for _, r := range made.Resources() {
		text, err := r.MarshalJSON()
		if err != nil {
			return err
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(text); err != nil {
			return err
		}
		all = append(all, o)
	}
	var errs []error
	for _, o := range all {
		if o.GetKind() == "Namespace" { // a dry run needs it, too
			errs = append(errs, c.apply(ctx, o, nil))
		}
	}
	for _, dry := range [][]string{{metav1.DryRunAll}, nil} {
		for _, o := range all {
			errs = append(errs, c.apply(ctx, o, dry))
		}
	}
	pods := 0
	for _, o := range all {
		made, err := c.pod(ctx, o)
		errs = append(errs, err)
		if made {
			pods++
		}
	}
	if err := errors.Join(append(errs, c.warnings.err())...); err != nil {
		return err
	}
	fmt.Printf("%s: %d objects and %d pods accepted\n", dir, len(all), pods)
	return nil
}

func (c *cluster) resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := o.GroupVersionKind()
	m, err := c.kinds.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.objects.Resource(m.Resource).Namespace(o.GetNamespace()), nil
	}
	return c.objects.Resource(m.Resource), nil
}

// apply applies an object on the server, which refuses fields that it does not know.
func (c *cluster) apply(ctx context.Context, o *unstructured.Unstructured, dry []string) error {
	of, err := c.resource(o)
	if err != nil {
		return err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	force := true
	_, err = of.Patch(ctx, o.GetName(), types.ApplyPatchType, text,
		metav1.PatchOptions{FieldManager: manager, FieldValidation: metav1.FieldValidationStrict, DryRun: dry, Force: &force})
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

// pod creates a pod of a workload as a dry run, as a controller would. It reports whether the
// object is a workload.
func (c *cluster) pod(ctx context.Context, workload *unstructured.Unstructured) (bool, error) {
	template, found, err := unstructured.NestedMap(workload.Object, "spec", "template")
	if err != nil || !found {
		return false, err
	}
	pod := &unstructured.Unstructured{Object: template}
	pod.SetAPIVersion("v1")
	pod.SetKind("Pod")
	pod.SetName(workload.GetName())
	pod.SetNamespace(workload.GetNamespace())
	spec := template["spec"].(map[string]any)
	volumes, _, err := unstructured.NestedSlice(template, "spec", "volumes")
	if err != nil {
		return false, err
	}
	claims, _, err := unstructured.NestedSlice(workload.Object, "spec", "volumeClaimTemplates")
	if err != nil {
		return false, err
	}
	for _, claim := range claims { // their volumes are the controller's to add
		name, _, _ := unstructured.NestedString(claim.(map[string]any), "metadata", "name")
		volumes = append(volumes, map[string]any{"name": name, "emptyDir": map[string]any{}})
	}
	spec["volumes"] = volumes
	of, err := c.resource(pod)
	if err != nil {
		return true, err
	}
	if _, err := of.Create(ctx, pod, metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
	}); err != nil {
		return true, fmt.Errorf("pod of %s %s: %w", workload.GetKind(), workload.GetName(), err)
	}
	return true, nil
}
