{{ config(materialized='external', location=env_var('SHOP_LAKE') ~ '/mart/customers.parquet') }}

with customers as (
    select * from {{ ref('stg_customers') }}
),

spent as (
    select customer_id, min(order_date) as first_order, sum(amount) as lifetime_value
    from {{ ref('orders') }}
    where status <> 'returned'
    group by customer_id
),

final as (
    select
        customers.customer_id,
        customers.first_name || ' ' || customers.last_name as full_name,
        spent.first_order,
        spent.lifetime_value
    from customers
    left join spent on customers.customer_id = spent.customer_id
)

select * from final
