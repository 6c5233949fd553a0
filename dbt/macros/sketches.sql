{#- Writes a sketch of a column, to be stored. A project sets its ε and its tail once, as vars, so that all its sketches merge. -#}
{% macro sketch(column, epsilon=none, tail=none) -%}
  {%- set options = {
      'epsilon': var('chronosketch_epsilon', none) if epsilon is none else epsilon,
      'tail': var('chronosketch_tail', none) if tail is none else tail,
  } -%}
  quantile_sketch_agg({{ column }}
  {%- for name, value in options.items() if value is not none %}, {{ name }} => {{ chronosketch.literal(value) }}{% endfor -%}
  )
{%- endmacro %}


{#- Writes the union of a column of sketches, or of several sketches in a row. NULL counts as a sketch without values. -#}
{% macro merged(sketch) -%}
  {%- set union = namespace(sql=sketch) -%}
  {%- for other in varargs -%}
    {%- set union.sql = 'sketch_merge_or(' ~ union.sql ~ ', ' ~ other ~ ')' -%}
  {%- endfor -%}
  {{ union.sql if varargs else 'sketch_merge_agg(' ~ sketch ~ ')' }}
{%- endmacro %}


{#- Writes a quantile, or an array of quantiles, of the union of a column of sketches. -#}
{% macro quantile(sketch, quantile, bounds=false) -%}
  {%- set several = quantile is sequence and quantile is not string -%}
  sketch_quantile{{ '_bounds' if bounds }}({{ chronosketch.merged(sketch) }}, {{ 'array(' ~ quantile | join(', ') ~ ')' if several else quantile }})
{%- endmacro %}


{#- Writes a number, a text, a list of texts or a dict of texts in SQL. -#}
{% macro literal(value) -%}
  {%- if value is number -%}
    {{ value }}
  {%- elif value is string -%}
    '{{ value | replace("\\", "\\\\") | replace("'", "\\'") }}'
  {%- elif value is mapping -%}
    map({% for name, text in value.items() %}{{ ', ' if not loop.first }}{{ chronosketch.literal(name | string) }}, {{ chronosketch.literal(text | string) }}{% endfor %})
  {%- else -%}
    array({% for text in value %}{{ ', ' if not loop.first }}{{ chronosketch.literal(text | string) }}{% endfor %})
  {%- endif -%}
{%- endmacro %}
