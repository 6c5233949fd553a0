{#- Builds a model whose table is a roll-up. The model's body names the table to follow, because `ref` and `source` work there.
    A full refresh builds a second roll-up, which takes the place of the first when it is complete. -#}
{% materialization sketch_rollup, adapter='spark' %}
  {%- set arguments = chronosketch.rollup_arguments(compiled_code) -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_cached_relation(this) -%}
  {%- set is_replaced = existing_relation is not none and should_full_refresh() -%}
  {%- set built_relation = target_relation -%}

  {{ run_hooks(pre_hooks) }}

  {#- the catalog of the procedures, for sessions that were not configured by chronosketch -#}
  {%- call statement('procedures') -%}
    set spark.sql.catalog.chronosketch = chronosketch.spark.warehouse.call.WarehouseCatalog
  {%- endcall -%}
  {%- if is_replaced -%}
    {%- set built_relation = target_relation.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}) -%}
    {%- do adapter.drop_relation(built_relation) -%}
  {%- endif -%}
  {%- call statement('main') -%}
    call chronosketch.rollup(into => {{ chronosketch.literal(built_relation | string) }}, {{ arguments }})
  {%- endcall -%}
  {%- if is_replaced -%}
    {%- do adapter.drop_relation(existing_relation) -%}
    {%- do adapter.rename_relation(built_relation, target_relation) -%}
  {%- endif -%}

  {%- do apply_grants(target_relation, config.get('grants'), should_revoke(existing_relation, is_replaced)) -%}
  {%- do persist_docs(target_relation, model) -%}
  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- Writes the arguments of CALL chronosketch.rollup, all but `into`. -#}
{% macro rollup_arguments(body) -%}
  {%- set levels = chronosketch.rollup_config('levels') -%}
  {%- set by = chronosketch.rollup_config('by') -%}
  {%- set values = chronosketch.rollup_config('values', "values={'latency': 'latency_ms'}") -%}
  {%- if values is not mapping -%}
    {%- do chronosketch.refuse_rollup(
        'has values=' ~ values ~ ". Give each value a name: values={'latency': 'latency_ms'}."
    ) -%}
  {%- endif -%}
  {%- set arguments = {
      'source': chronosketch.rollup_source(body),
      'time': chronosketch.rollup_config('time', "time='ts'"),
      'bucket': chronosketch.rollup_config('bucket', "bucket='1 hour'" if levels is none else none),
      'levels': levels,
      'by': [by] if by is string else by,
      'values': values,
      'epsilon': chronosketch.rollup_config('epsilon', default=var('chronosketch_epsilon', none)),
      'tail': chronosketch.rollup_config('tail', default=var('chronosketch_tail', none)),
      'zone': chronosketch.rollup_config('zone'),
      'retention': chronosketch.rollup_config('retention'),
  } -%}
  {%- for name, value in arguments.items() if value is not none -%}
    {{ ', ' if not loop.first }}{{ name }} => {{ chronosketch.literal(value) }}
  {%- endfor -%}
{%- endmacro %}


{#- Returns a config of the model, from `meta` or beside it. Refuses a model that lacks it if an example says how to write it. -#}
{% macro rollup_config(name, example=none, default=none) -%}
  {%- set meta = config.get('meta') or {} -%}
  {%- set value = meta[name] if name in meta else config.get(name) -%}
  {%- if value is none and example is not none -%}
    {%- do chronosketch.refuse_rollup(
        'has no ' ~ name ~ ". Write it into the model: config(materialized='sketch_rollup', " ~ example ~ ', ...).'
    ) -%}
  {%- endif -%}
  {{ return(default if value is none else value) }}
{%- endmacro %}


{#- Returns the table that the body of a model names. -#}
{% macro rollup_source(body) -%}
  {%- set lines = [] -%}
  {%- for line in body.splitlines() if not line.strip().startswith('--') -%}
    {%- do lines.append(line) -%}
  {%- endfor -%}
  {%- set name = lines | join('\n') | trim -%}
  {%- set problem = namespace(text=none) -%}
  {%- if chronosketch.rollup_config('source') is not none -%}
    {%- set problem.text = 'has source in its config, where dbt resolves neither ref nor source' -%}
  {%- elif not name -%}
    {%- set problem.text = 'names no table to follow' -%}
  {%- elif not modules.re.fullmatch('(`[^`]*`|[^\\s`()])+', name) -%}
    {%- set problem.text = 'has a query as its body, but a roll-up follows a table' -%}
  {%- endif -%}
  {%- if problem.text is not none -%}
    {%- do chronosketch.refuse_rollup(
        problem.text ~ ". Write the table alone below config(): {{ source('shop', 'requests') }}, {{ ref('requests') }} or its name."
    ) -%}
  {%- endif -%}
  {{ return(name) }}
{%- endmacro %}


{% macro refuse_rollup(reason) -%}
  {%- do exceptions.raise_compiler_error('The roll-up ' ~ model.name ~ ' ' ~ reason) -%}
{%- endmacro %}
