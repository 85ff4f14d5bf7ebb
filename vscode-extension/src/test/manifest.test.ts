/**
 * package.json describes the adapter's launch keys to users; the adapter's Go
 * types are what it reads. Here the two are compared.
 */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { debugType } from "../configuration";

const extension = path.resolve(__dirname, "../..");
const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));

interface Property {
  type?: string;
  enum?: string[];
  description?: string;
  markdownDescription?: string;
  properties?: Record<string, Property>;
  required?: string[];
}

const [contributed] = manifest.contributes.debuggers;
const launch: Property = contributed.configurationAttributes.launch;

/** The JSON keys of a Go struct with their Go types. */
function fieldsOf(file: string, type: string): Map<string, string> {
  const text = fs.readFileSync(path.join(extension, "..", file), "utf8");
  const body = new RegExp(`^type ${type} struct \\{$(.*?)^\\}$`, "ms").exec(text)?.[1];
  assert.ok(body, `${file} has no struct ${type}`);
  const fields = /^\t\w+\s+(\S+)\s+`json:"(\w+)/gm;
  return new Map([...body.matchAll(fields)].map(([, goType, key]) => [key ?? "", goType ?? ""]));
}

/** What JSON has for a value of a Go type. */
const jsonTypes: Record<string, string> = {
  "string": "string",
  "bool": "boolean",
  "*bool": "boolean",
  "int": "integer",
  "uint64": "integer",
  "float64": "number",
  "*float64": "number",
  "map[string]string": "object",
  "*timeline.From": "object",
  // Words of a closed set.
  "timeline.Strategy": "enum",
  "stepwise.Jumps": "enum",
  "statetree.Event": "enum",
};

const launchKeys = fieldsOf("adapter/launch_config.go", "LaunchConfig");
launchKeys.delete("noDebug"); // VS Code's own, for "run without debugging"

for (const [name, fields, described] of [
  ["launch", launchKeys, launch],
  ["from", fieldsOf("adapter/timeline/target.go", "From"), launch.properties?.["from"]],
] as const) {
  test(`${name} describes every key that the adapter reads, and no other`, () => {
    const known = Object.keys(described?.properties ?? {});
    assert.deepEqual(known.sort(), [...fields.keys()].sort());
  });

  for (const [key, goType] of fields) {
    test(`${name}.${key} has the adapter's type and a description`, () => {
      const property = described?.properties?.[key];
      assert.ok(property);
      assert.ok(jsonTypes[goType], `${goType} is not in this test's table`);
      const closed = property.enum !== undefined && jsonTypes[goType] !== "string";
      assert.equal(closed ? "enum" : property.type ?? "string", jsonTypes[goType]);
      assert.ok(property.description ?? property.markdownDescription);
    });
  }
}

test("snippets and initial configurations only use keys that are described", () => {
  const bodies = [
    ...contributed.initialConfigurations,
    ...contributed.configurationSnippets.map((snippet: { body: object }) => snippet.body),
  ];
  assert.ok(bodies.length >= 4);
  for (const body of bodies) {
    const { type, request, name, ...keys } = body;
    assert.deepEqual([type, request, typeof name], [debugType, "launch", "string"]);
    for (const key of Object.keys(keys)) {
      assert.ok(launch.properties?.[key], `${name}: ${key}`);
    }
  }
});
